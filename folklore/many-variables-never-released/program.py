import tensorflow as tf

for _ in range(200):
    a = tf.Variable(tf.random.normal([256, 256]))
    b = tf.Variable(tf.random.normal([256, 256]))
    product = tf.matmul(a, b)
print(product.shape)
