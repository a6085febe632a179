import struct

import tensorflow as tf

with open("model.tflite", "wb") as file:
    file.write(struct.pack("<I", 0x10000000) + b"TFL3" + bytes(4096))
tf.lite.Interpreter(model_path="model.tflite")
