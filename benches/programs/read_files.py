"""Reads the files of one kind with TensorFlow or a peer and prints the CPU seconds: `read_files.py HOW FOLDER`.

The import is not counted: a training run pays it anyway.
"""

import glob
import sys
import time

how, folder = sys.argv[1:]
paths = sorted(glob.glob(f"{folder}/*"))


def tensorflow_images():
    import tensorflow as tf

    def read():
        for path in paths:
            tf.io.decode_image(tf.io.read_file(path))

    tf.io.decode_image(tf.io.read_file(paths[0]))
    return read


def tensorflow_records():
    import tensorflow as tf

    data = tf.data.TFRecordDataset(paths)
    count = lambda total, record: total + tf.strings.length(record, unit="BYTE")
    data.take(1).reduce(0, count)
    return lambda: data.reduce(0, count)


def tensorflow_checkpoint():
    import tensorflow as tf

    def read():
        reader = tf.train.load_checkpoint(paths[0].rsplit(".", 1)[0])
        for name in reader.get_variable_to_shape_map():
            reader.get_tensor(name)

    tf.constant(1)
    return read


def pillow_load():
    from PIL import Image

    def read():
        for path in paths:
            Image.open(path).load()

    return read


def pillow_verify():
    from PIL import Image

    def read():
        for path in paths:
            Image.open(path).verify()

    return read


def tfrecord_package():
    import tfrecord.reader

    def read():
        for path in paths:
            for _ in tfrecord.reader.tfrecord_iterator(path):
                pass

    return read


read = globals()[how]()
before = time.process_time()
read()
print(time.process_time() - before)
