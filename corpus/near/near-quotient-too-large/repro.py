import ctypes

share = ctypes.CDLL("./share.so").share
print(share(-(2**31), -1))
