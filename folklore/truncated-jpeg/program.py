import tensorflow as tf

image = tf.io.encode_jpeg(tf.cast(tf.random.uniform([64, 64, 3], 0, 255), tf.uint8)).numpy()
tf.io.decode_jpeg(image[: len(image) // 2])
