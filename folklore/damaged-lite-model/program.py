import struct

import tensorflow as tf

with open("model.tflite", "wb") as file:
    file.write(struct.pack("<I", 0x20000000) + b"TFL3" + bytes(1000))
tf.lite.Interpreter(model_path="model.tflite")
