import os

# The pure C++ implementation of older packages, asked of one that has none.
os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "cpp"
import tensorflow as tf

print(tf.__version__)
