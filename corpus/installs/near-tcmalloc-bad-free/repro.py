import ctypes

libc = ctypes.CDLL(None)
libc.free.argtypes = [ctypes.c_void_p]
libc.free(0x1000)
