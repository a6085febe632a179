import tensorflow as tf

p = tf.random.normal([13, 1, 3, 4])
w = tf.random.normal([4, 16])
for _ in range(20):
    out = tf.linalg.matmul(p, w)
print("output:", out.shape)
