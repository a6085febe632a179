import os

os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
import tensorflow as tf

spectrum = tf.zeros([2, 3, 0, 0], tf.complex64)
tf.raw_ops.IRFFT2D(input=spectrum, fft_length=[2**31 - 1, 2**31 - 1])
