import ctypes
import os

child = os.fork()
if child == 0:
    strlen = ctypes.CDLL(None).strlen
    strlen.argtypes = [ctypes.c_void_p]
    strlen(None)
    os._exit(0)
_, status = os.waitpid(child, 0)
print("the child ended by signal", os.WTERMSIG(status))
