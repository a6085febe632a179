import ctypes

FLUSH = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p)


@FLUSH
def flush(status, argument):
    print("flushed")


ctypes.CDLL(None).on_exit(flush, None)
