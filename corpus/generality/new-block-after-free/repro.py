import ctypes

import numpy as np

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
size = 64 << 20
block = libc.malloc(size)
table = np.frombuffer((ctypes.c_double * (size // 8)).from_address(block))
table[:] = 1.0
print(table.sum())
libc.free(block)
print(table.sum())
