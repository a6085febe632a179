import ctypes
import tensorflow as tf

notes = ctypes.CDLL("/opt/lab/lib/libnotes.so")
print("loaded", notes.pages(3))
