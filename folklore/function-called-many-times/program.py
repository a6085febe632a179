import tensorflow as tf


@tf.function
def double(x):
    return x * tf.constant([2.0])


x = tf.ones([10])
for _ in range(20_000):
    y = double(x)
print(float(y[0]))
