import tensorflow as tf

module = tf.Module()
module.weights = tf.Variable(tf.zeros([500, 500], tf.float16))
tf.saved_model.save(module, "model")
print(tf.saved_model.load("model").weights.dtype)
