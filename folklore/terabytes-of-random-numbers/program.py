import tensorflow as tf

a = tf.random.normal([1024, 1024, 1024, 1024])
print(tf.matmul(a, a))
