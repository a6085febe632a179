import ctypes

print(ctypes.CDLL("./scale.so").scale(3))
