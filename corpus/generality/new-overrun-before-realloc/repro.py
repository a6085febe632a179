import ctypes

log = ctypes.CDLL("./log.so")
log.log_add.argtypes = [ctypes.c_char_p]
for n in range(200):
    log.log_add(b"step %d finished without any error" % n)
