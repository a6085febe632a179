import ctypes
import os

os.truncate("big.so", 100_000)
ctypes.CDLL("./big.so")
