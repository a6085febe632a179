import ctypes

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
first = libc.malloc(2000)
second = libc.malloc(2000)
third = libc.malloc(2000)
ctypes.memset(first, 0x41, 2064)
print("training goes on", sum(n * n for n in range(100_000)))
libc.free(second)
print("saved")
