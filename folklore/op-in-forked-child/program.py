import os
import sys
import time

import tensorflow as tf

tf.matmul(tf.ones([300, 300]), tf.ones([300, 300]))
child = os.fork()
if child == 0:
    dataset = tf.data.Dataset.range(100).map(lambda n: n + 1, num_parallel_calls=4)
    os._exit(0 if sum(int(n) for n in dataset) else 1)
for _ in range(100):
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        sys.exit(0)
    time.sleep(0.1)
os.kill(child, 9)
os.waitpid(child, 0)
sys.exit(3)
