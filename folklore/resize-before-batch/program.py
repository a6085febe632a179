import tensorflow as tf

sizes = tf.data.Dataset.from_tensor_slices([10, 12])
images = sizes.map(lambda size: tf.zeros([size, size, 3]))
for batch in images.map(lambda image: tf.image.resize(image, [8, 8])).batch(2):
    print(batch.shape)
