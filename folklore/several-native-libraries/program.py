import cv2
import h5py
import numpy as np
import tensorflow as tf

image = cv2.resize(np.ones([20, 20, 3], np.uint8), (10, 10))
print(h5py.__version__, float(tf.reduce_sum(tf.cast(tf.constant(image), tf.float32))))
