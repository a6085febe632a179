import ctypes
import faulthandler

faulthandler.enable()
strlen = ctypes.CDLL(None).strlen
strlen.argtypes = [ctypes.c_void_p]
strlen(8)
