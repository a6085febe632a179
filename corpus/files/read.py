#!/usr/bin/env python3
"""Reads damaged files as programs do, and prints what happens.

    python read.py < LIST

A line of LIST is a label `FORMAT/NAME@DEED` and a path, with a tab between; the undamaged file of a base comes first, as
`FORMAT/NAME@whole`. A line of the output is the label and one of `same`, `different`, `exception TEXT`, `signal NUMBER`
and `hang`, where the first two compare what was read with what the undamaged file gave. Files are read in children, which
are given up when they use no end of processor time, and which cannot have all the memory.
"""
import gc
import hashlib
import os
import pickletools
import re
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import h5py
import numpy as np
import tensorflow as tf
from safetensors.numpy import load_file

import children
import model

load_model = tf.keras.models.load_model

# Readings that corrupt memory or depend on what is in it: each in a child of its own, in several ways.
ALONE = {"tflite": 3, "webp": 2}


class InUse(Exception):
    """Loading went well; what was loaded does not work."""


def in_use(work):
    try:
        return work()
    except Exception as error:
        raise InUse(error) from error


def image(path, way):
    content = tf.io.read_file(path)
    results = [tf.io.decode_image(content, expand_animations=False)]
    if "/gif/" in path or "/webp/" in path:
        results.append(tf.io.decode_image(content))
    return results


EXAMPLE = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "numbers": tf.io.FixedLenFeature([4], tf.float32),
    "label": tf.io.FixedLenFeature([], tf.int64),
    "words": tf.io.VarLenFeature(tf.string),
}
CONTEXT = {"label": tf.io.FixedLenFeature([], tf.int64)}
STEPS = {"steps": tf.io.FixedLenSequenceFeature([2], tf.float32)}


def records(packing):
    def read(path, way):
        results = []
        for record in tf.data.TFRecordDataset(path, packing):
            if "/examples@" in path:
                parsed = tf.io.parse_single_example(record, EXAMPLE)
                parsed["words"] = parsed["words"].values
                results.append(parsed)
            else:
                results.extend(tf.io.parse_single_sequence_example(record, CONTEXT, STEPS))
        return results

    return read


def array(path, way):
    loaded = np.load(path)
    return dict(loaded) if isinstance(loaded, np.lib.npyio.NpzFile) else loaded


def sound(path, way):
    return list(tf.audio.decode_wav(tf.io.read_file(path)))


def table(path, way):
    columns = [tf.int64, tf.float32, tf.string] if "/plain@" in path else [tf.int64, tf.string, tf.float32]
    return [list(row) for row in tf.data.experimental.CsvDataset(path, columns, header=True)]


def hdf5(path, way):
    results = {}

    def keep(name, item):
        results[name + " attributes"] = dict(item.attrs)
        if isinstance(item, h5py.Dataset):
            results[name] = item[()]

    with h5py.File(path, "r") as file:
        keep("", file)
        file.visititems(keep)
    return results


def checkpoint(path, way):
    reader = tf.train.load_checkpoint(path)
    return {name: reader.get_tensor(name) for name in sorted(reader.get_variable_to_shape_map())}


def saved_model(path, way):
    loaded = tf.saved_model.load(path)
    return in_use(lambda: loaded.signatures["serving_default"](x=tf.ones([2, 16])))


def graph(path, way):
    definition = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        definition.ParseFromString(file.read())
    shape = [2, 16] if "/dense-" in path else [1, 12, 12, 3]
    with tf.Graph().as_default():
        tf.import_graph_def(definition, name="")
        with tf.compat.v1.Session() as session:
            return in_use(lambda: session.run("Identity:0", {"x:0": np.ones(shape, "f4")}))


def keras(path, way):
    loaded = load_model(path)
    return [loaded.get_weights(), in_use(lambda: loaded(np.ones([2, 16], "f4")))]


def weights(path, way):
    network = model.dense(tf)
    network.load_weights(path)
    return network.get_weights()


def tflite(path, way):
    if way == 0:
        interpreter = tf.lite.Interpreter(model_path=path)
    else:
        with open(path, "rb") as file:
            content = file.read()
        # Other bytes behind the model than those that happen to be there.
        around = [b"\xff" * (len(content) + 64 * step) for step in range(200)] if way == 2 else []
        del around[::2]
        interpreter = tf.lite.Interpreter(model_content=content)
    interpreter.allocate_tensors()

    def use():
        rng = np.random.default_rng(1)
        for one in interpreter.get_input_details():
            interpreter.set_tensor(one["index"], rng.random(one["shape"]).astype(one["dtype"]))
        interpreter.invoke()
        return [interpreter.get_tensor(one["index"]) for one in interpreter.get_output_details()]

    return in_use(use)


def pickled(path, way):
    with open(path, "rb") as file:
        return [[operation.name, repr(argument)] for operation, argument, _ in pickletools.genops(file.read())]


READERS = {
    **dict.fromkeys(["jpeg", "png", "gif", "bmp", "webp"], image),
    "tfrecord": records(""),
    "tfrecord-gzip": records("GZIP"),
    "tfrecord-zlib": records("ZLIB"),
    **dict.fromkeys(["npy", "npz"], array),
    "wav": sound,
    "csv": table,
    "hdf5": hdf5,
    "checkpoint": checkpoint,
    "saved-model": saved_model,
    "graphdef": graph,
    **dict.fromkeys(["keras", "keras-h5"], keras),
    "weights-h5": weights,
    "tflite": tflite,
    "safetensors": lambda path, way: load_file(path),
    "pickle": pickled,
}


def feed(digest, value):
    if isinstance(value, dict):
        for key in sorted(value):
            digest.update(key.encode("utf8", "replace"))
            feed(digest, value[key])
    elif isinstance(value, (list, tuple)):
        digest.update(b"[%d]" % len(value))
        for one in value:
            feed(digest, one)
    else:
        value = np.asarray(value)
        digest.update(f"{value.dtype} {value.shape}".encode())
        digest.update(repr(value.tolist()).encode() if value.dtype.hasobject else value.tobytes())


def one_line(error, path):
    if isinstance(error, InUse):
        return "in use: " + one_line(error.args[0], path)
    # The device that an operation ran on says nothing.
    text = re.sub(r"\{\{.*?\}\} ?", "", str(error))
    text = " ".join(text.replace(path, "FILE").replace(os.path.dirname(path), "FOLDER").split())
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return f"{type(error).__name__}: {text}"[:90].rstrip()


def attempt(label, path, way):
    try:
        result = READERS[label.split("/")[0]](path, way)
        digest = hashlib.sha256()
        feed(digest, result)
        return "read " + digest.hexdigest()
    except Exception as error:
        return "exception " + one_line(error, path)


def outcomes(kind, jobs):
    for start in range(0, len(jobs), 60):
        part = jobs[start : start + 60]
        if kind in ALONE:
            results = [children.alone(attempt, job, ALONE[kind]) for job in part]
        else:
            results = children.together(attempt, part)
        for (label, _), outcome in zip(part, results, strict=True):
            yield label, outcome


def main():
    sys.setrecursionlimit(10000)
    # Collecting in the children then looks at what a reading left, not at all of TensorFlow.
    gc.collect()
    gc.freeze()
    jobs = [tuple(line.rstrip("\n").split("\t")) for line in sys.stdin]
    by_format = {}
    for job in jobs:
        by_format.setdefault(job[0].split("/")[0], []).append(job)
    for kind, jobs in by_format.items():
        wholes = [job for job in jobs if job[0].endswith("@whole")]
        undamaged = {label.split("@")[0]: outcome for label, outcome in outcomes(kind, wholes)}
        # Where this version cannot read the undamaged file, the damaged ones tell nothing.
        readable = {base for base, outcome in undamaged.items() if not outcome.startswith("exception")}
        jobs = [job for job in jobs if job in wholes or job[0].split("@")[0] in readable]
        for label, outcome in outcomes(kind, jobs):
            if outcome.startswith("read "):
                outcome = "same" if outcome == undamaged[label.split("@")[0]] else "different"
            print(label, outcome, sep="\t", flush=True)


if __name__ == "__main__":
    main()
