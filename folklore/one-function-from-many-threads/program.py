import threading

import tensorflow as tf

total = tf.Variable(0.0)


@tf.function
def add(x):
    total.assign_add(tf.reduce_sum(x))


threads = [
    threading.Thread(target=lambda: [add(tf.ones([10])) for _ in range(200)]) for _ in range(8)
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(float(total))
