import ctypes
import resource

resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
source = ctypes.create_string_buffer(64)
memcpy = ctypes.CDLL(None).memcpy
memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
memcpy(None, source, 64)
