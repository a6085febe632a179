import tensorflow as tf

print(tf.strings.substr("abcdef", pos=[1, -1], len=1))
