import tensorflow as tf

sizes = tf.data.Dataset.from_tensor_slices([10, 12])
dataset = sizes.map(lambda size: tf.zeros([size, size, 3])).batch(2)
for batch in dataset:
    print(batch.shape)
