import ctypes
import numpy as np
import tensorflow as tf
def copy_into(dst_ptr, arr):
    ctypes.memmove(dst_ptr, arr.ctypes.data, arr.nbytes)
def flush(buffers, arr):
    dst = buffers.get("missing")
    copy_into(dst, arr)
def main():
    features = np.zeros((64, 128), dtype=np.float32)
    flush({"present": 1}, features)
main()
