import tensorflow as tf

values = tf.zeros([0, 0], tf.int64)
tf.raw_ops.DenseCountSparseOutput(
    values=values, weights=tf.zeros([0]), minlength=6, maxlength=7, binary_output=True
)
