import tensorflow as tf

tensor = tf.random.normal([100, 100])
print(tf.reduce_mean(tf.reshape(tensor, [1000, 10])))
print(tf.reshape(tensor, [1000, 11]))
