import tensorflow as tf

tf.raw_ops.LSTMBlockCell(
    x=tf.zeros([3, 1]),
    cs_prev=tf.zeros([3]),
    h_prev=tf.zeros([3, 1]),
    w=tf.zeros([2, 4]),
    wci=tf.zeros([1]),
    wcf=tf.zeros([1]),
    wco=tf.zeros([1]),
    b=tf.zeros([4]),
)
