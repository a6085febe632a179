import tensorflow as tf

image = tf.zeros([0, 0, 3], tf.uint8)
print(tf.io.encode_png(image))
