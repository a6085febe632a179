import tensorflow as tf

tf.raw_ops.SparseFillEmptyRows(
    indices=tf.zeros([0, 2], tf.int64),
    values=tf.zeros([0], tf.int64),
    dense_shape=tf.zeros([0], tf.int64),
    default_value=tf.constant(7, tf.int64),
)
