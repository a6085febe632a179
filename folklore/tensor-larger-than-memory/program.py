import tensorflow as tf

print(tf.zeros([100_000, 100_000, 10_000]))
