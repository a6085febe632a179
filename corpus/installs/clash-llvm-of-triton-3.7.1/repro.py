import tensorflow as tf
import triton

print(tf.__version__, triton.__version__)
