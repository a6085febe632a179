import gc

import tensorflow as tf


class Node:
    pass


gc.set_threshold(10)
for n in range(2000):
    node = Node()
    node.itself, node.value = node, tf.fill([100], float(n))
    keep = node.value * 2
gc.collect()
print(float(keep[0]))
