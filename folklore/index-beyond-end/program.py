import tensorflow as tf

print(tf.gather(tf.range(10), [3, 12]))
