import tensorflow as tf

loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[3, 12], logits=tf.zeros([2, 10]))
print(loss)
