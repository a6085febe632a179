"""die_large.py GIB: dies in native code with so much memory in use, TensorFlow loaded and its threads started."""

import ctypes
import sys

import numpy as np
import tensorflow as tf


def read_record(address):
    return ctypes.string_at(address)


def train(features):
    print(float(tf.reduce_sum(features[:1000])))
    read_record(0)


features = np.ones((int(float(sys.argv[1]) * (1 << 30)) // 4,), np.float32)
train(features)
