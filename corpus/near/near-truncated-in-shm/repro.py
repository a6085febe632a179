import mmap
import os
import tempfile

with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
    file.truncate(1 << 20)
    view = mmap.mmap(file.fileno(), 1 << 20)
    view[0] = 1
    os.truncate(file.name, 4096)
    view[1 << 19] = 1
