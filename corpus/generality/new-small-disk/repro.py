import mmap

with open("disk/cache.bin", "w+b") as file:
    file.truncate(16 << 20)
    cache = mmap.mmap(file.fileno(), 16 << 20)
    for at in range(0, 16 << 20, 4096):
        cache[at] = 1
