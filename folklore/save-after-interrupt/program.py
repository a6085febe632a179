import tensorflow as tf

module = tf.Module()
module.weights = tf.Variable(tf.zeros([100]))


@tf.function
def step():
    module.weights.assign_add(tf.ones([100]))


try:
    for count in range(1000):
        step()
        if count == 500:
            raise KeyboardInterrupt
except KeyboardInterrupt:
    pass
tf.saved_model.save(module, "model")
print(float(tf.saved_model.load("model").weights[0]))
