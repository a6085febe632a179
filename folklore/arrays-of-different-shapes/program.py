import numpy as np
import tensorflow as tf

images = [np.ones([5, 5, 3]), np.ones([6, 6, 3])]
tf.data.Dataset.from_tensor_slices(images)
