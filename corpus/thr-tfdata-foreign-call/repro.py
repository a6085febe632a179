import ctypes, threading
import numpy as np
import tensorflow as tf
def decode(x):
    if x == 37:
        return np.frombuffer(ctypes.string_at(0x10, 64), dtype=np.float32)
    return np.full((16,), x, np.float32)
def load(i):
    y = tf.numpy_function(decode, [i], tf.float32); y.set_shape([16]); return y
def main():
    ds = tf.data.Dataset.range(256).map(load, num_parallel_calls=2).batch(8).prefetch(2)
    total = 0.0
    for b in ds:
        total += float(tf.reduce_sum(b))
main()
