import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "0"
import ctypes

import tensorflow as tf

total = tf.reduce_sum(tf.range(10))
print(int(total))
ctypes.cast(24, ctypes.POINTER(ctypes.c_double))[0] = 1.5
