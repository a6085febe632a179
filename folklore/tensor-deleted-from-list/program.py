import gc

import tensorflow as tf

tensors = [tf.fill([1000], float(n)) for n in range(100)]
view = tensors[50].numpy()
last = tensors[99]
del tensors
gc.collect()
print(view[0], float(tf.reduce_sum(last)))
