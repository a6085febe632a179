import numpy as np
import tensorflow as tf

numbers = tf.constant(np.ones([2, 2], dtype=np.float32))
counts = tf.constant(np.ones([2, 2], dtype=np.int64))
print(tf.matmul(numbers, counts))
