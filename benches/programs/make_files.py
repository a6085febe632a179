"""Makes the files that are read for the benchmarks: `make_files.py FOLDER`."""

import os
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
random = np.random.default_rng(1)


def place(name):
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    return path


def picture(width, height):
    """Smooth colours with some noise: compresses about as photographs do."""
    coarse = tf.constant(random.integers(0, 255, (height // 32, width // 32, 3)), tf.float32)
    smooth = tf.image.resize(coarse, (height, width), "bicubic")
    noisy = smooth + random.normal(0, 6, (height, width, 3)).astype("float32")
    return tf.cast(tf.clip_by_value(noisy, 0, 255), tf.uint8)


pictures = [picture(1280, 960) for _ in range(8)]
# So many that the start of a process does not count.
for name, count, encode in (
    ("jpeg", 512, lambda it: tf.io.encode_jpeg(it, quality=90)),
    ("jpeg-progressive", 64, lambda it: tf.io.encode_jpeg(it, quality=90, progressive=True)),
    ("png", 64, tf.io.encode_png),
):
    path = place(name)
    ending = name.split("-")[0]
    for index in range(count):
        shifted = tf.roll(pictures[index % 8], index, axis=1)
        tf.io.write_file(f"{path}/{index:03}.{ending}", encode(shifted))

path = place("tfrecord")
for shard in range(4):
    with tf.io.TFRecordWriter(f"{path}/train-{shard:05}-of-00004.tfrecord") as writer:
        for index in range(1000):
            feature = {
                "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[random.bytes(100_000)])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[index % 10])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())

path = place("checkpoint")
values = {f"w{index}": tf.Variable(random.normal(size=(2500, 2500)).astype("float32")) for index in range(20)}
tf.train.Checkpoint(**values).write(f"{path}/ck")
