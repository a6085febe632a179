import tensorflow as tf


@tf.function
def scale(x):
    return x * tf.constant([1.0, 2.0, 3.0])


print(scale(tf.random.normal([100, 100])))
