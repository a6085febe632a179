import tensorflow as tf

paths = tf.data.Dataset.from_tensor_slices(["a", "b"])
paths.map(lambda path: len(path.numpy()))
