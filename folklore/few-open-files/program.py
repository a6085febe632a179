import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
import tensorflow as tf

print(float(tf.reduce_sum(tf.ones([10]))))
