import mmap
import os
import subprocess

with open("table.bin", "wb") as file:
    file.write(bytes(1 << 20))
with open("table.bin", "r+b") as file:
    view = mmap.mmap(file.fileno(), 0)
total = sum(view[::4096])
subprocess.run(["kill", "-BUS", str(os.getpid())])
