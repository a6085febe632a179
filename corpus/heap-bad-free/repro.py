import ctypes
import numpy as np
import tensorflow as tf
libc = ctypes.CDLL("libc.so.6"); libc.free.argtypes=[ctypes.c_void_p]
def release(arr): libc.free(arr.ctypes.data + 16)
def main():
    x = np.random.rand(256, 256).astype(np.float32)
    y = tf.matmul(x, x).numpy()
    release(y)
main()
