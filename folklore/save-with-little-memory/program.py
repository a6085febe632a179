import resource

import tensorflow as tf

module = tf.Module()
module.weights = tf.Variable(tf.zeros([8000, 8000]))
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (8 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
tf.saved_model.save(module, "model")
print("saved")
