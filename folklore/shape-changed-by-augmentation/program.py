import tensorflow as tf


def turn(n, image):
    return tf.cond(n % 2 == 0, lambda: image, lambda: tf.transpose(image, [1, 0, 2]))


images = tf.data.Dataset.from_tensor_slices(tf.zeros([4, 10, 20, 3]))
for batch in images.enumerate().map(turn).batch(2):
    print(batch.shape)
