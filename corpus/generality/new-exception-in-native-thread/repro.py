import ctypes
import time

ctypes.CDLL("./feeder.so").start_feeder(3)
time.sleep(30)
