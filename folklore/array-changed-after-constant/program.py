import numpy as np
import tensorflow as tf

array = np.arange(100_000, dtype=np.float32)
constant = tf.constant(array)
array += 10
array.resize(10, refcheck=False)
print(float(tf.reduce_sum(constant)))
