import os

import tensorflow as tf

os.mkdir("model")
with open("model/saved_model.pb", "wb") as file:
    file.write(bytes(range(256)) * 8)
tf.saved_model.load("model")
