#!/usr/bin/env python3
"""Writes the undamaged files below `base/`, of which `cargo lab files` makes damaged ones.

    python make_bases.py OUT [--data]

Models carry the version of the TensorFlow that writes them; `--data` writes images, records, arrays and the like as
well, which one TensorFlow is enough for. Needs TensorFlow, Pillow, h5py, safetensors, and `jpegtran` of libjpeg-turbo.
"""
import argparse
import io
import os
import pickle
import shutil
import struct
import subprocess
import sys
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import model

VERSION = tf.__version__


def place(out, *parts):
    path = os.path.join(out, *parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def pattern(rng, height=48, width=64):
    rows, columns = np.mgrid[0:height, 0:width]
    waves = [130 + 90 * np.sin(columns / 9 + rows / 14), 120 + 80 * np.cos(columns / 6 - rows / 11), rows * 250 / height]
    noisy = np.stack(waves, -1) + rng.normal(0, 5, (height, width, 3))
    return np.clip(noisy, 0, 255).astype(np.uint8)


def make_jpegs(out, rng):
    from PIL import Image

    picture = Image.fromarray(pattern(rng))
    variants = {
        "baseline": (picture, {"quality": 85}),
        "full-chroma": (picture, {"quality": 95, "subsampling": 0}),
        "optimised": (picture, {"quality": 70, "subsampling": 1, "optimize": True}),
        "progressive": (picture, {"quality": 85, "progressive": True}),
        "grey": (picture.convert("L"), {"quality": 80}),
        "grey-progressive": (picture.convert("L"), {"quality": 80, "progressive": True}),
        "cmyk": (picture.convert("CMYK"), {"quality": 80}),
        "restart": (picture, {"quality": 85, "restart_marker_rows": 1}),
        "large": (Image.fromarray(pattern(rng, 240, 321)), {"quality": 90}),
    }
    for name, (image, options) in variants.items():
        image.save(place(out, "jpeg", name + ".jpg"), "JPEG", **options)
    exif = Image.Exif()
    exif[0x0112] = 6
    picture.save(place(out, "jpeg", "exif.jpg"), "JPEG", exif=exif, comment=b"made for a test")
    plain = place(out, "jpeg", "baseline.jpg")
    for name, options in (("arithmetic", []), ("arithmetic-progressive", ["-progressive"])):
        made = subprocess.run(["jpegtran", "-arithmetic", *options, plain], capture_output=True, check=True)
        write(place(out, "jpeg", name + ".jpg"), made.stdout)


def png_chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(samples, interlaced=False):
    """What Pillow cannot write: 16-bit colour, and interlaced images."""
    height, width = samples.shape[:2]
    bits = 8 * samples.dtype.itemsize
    steps = [(0, 0, 1, 1)]
    if interlaced:
        steps = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    lines = b""
    for left, top, right, down in steps:
        part = samples[top::down, left::right]
        if part.size:
            lines += b"".join(b"\0" + row.astype(row.dtype.newbyteorder(">")).tobytes() for row in part)
    header = struct.pack(">IIBBBBB", width, height, bits, 2 if samples.ndim == 3 else 0, 0, 0, int(interlaced))
    chunks = png_chunk(b"IHDR", header) + png_chunk(b"IDAT", zlib.compress(lines)) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def make_pngs(out, rng):
    from PIL import Image

    samples = pattern(rng)
    picture = Image.fromarray(samples)
    faded = picture.copy()
    faded.putalpha(Image.fromarray(samples[..., 2]))
    clear = picture.quantize(32)
    clear.info["transparency"] = 3
    variants = {
        "rgb": picture,
        "rgba": faded,
        "palette": picture.quantize(64),
        "palette-transparent": clear,
        "palette4": picture.quantize(16),
        "grey": picture.convert("L"),
        "grey1": picture.convert("1"),
        "grey-alpha": faded.convert("LA"),
    }
    for name, image in variants.items():
        bits = {"bits": 4} if name == "palette4" else {}
        image.save(place(out, "png", name + ".png"), "PNG", **bits)
    write(place(out, "png", "rgb16.png"), png(samples.astype(np.uint16) * 257))
    write(place(out, "png", "grey16.png"), png(samples[..., 0].astype(np.uint16) * 257))
    write(place(out, "png", "interlaced.png"), png(samples, interlaced=True))
    frames = [Image.fromarray(np.roll(samples, 5 * step, 1)).quantize(32) for step in range(3)]
    frames[0].save(place(out, "png", "animated.png"), "PNG", save_all=True, append_images=frames[1:])


def make_other_images(out, rng):
    from PIL import Image

    samples = pattern(rng)
    picture = Image.fromarray(samples)
    frames = [Image.fromarray(np.roll(samples, 7 * step, 1)) for step in range(3)]
    few = [frame.quantize(32) for frame in frames]
    few[0].save(place(out, "gif", "still.gif"), "GIF")
    few[0].save(place(out, "gif", "straight.gif"), "GIF", interlace=0)
    few[0].save(place(out, "gif", "animated.gif"), "GIF", save_all=True, append_images=few[1:])
    changing = [picture.quantize(32) for _ in range(3)]
    for step, image in enumerate(changing):
        image.paste(step + 3, (10 * step + 5, 8, 10 * step + 15, 20))
    changing[0].save(place(out, "gif", "delta.gif"), "GIF", save_all=True, append_images=changing[1:])
    few[0].save(place(out, "gif", "transparent.gif"), "GIF", transparency=5, comment=b"made for a test")

    picture.save(place(out, "bmp", "rgb24.bmp"), "BMP")
    picture.convert("RGBA").save(place(out, "bmp", "rgba32.bmp"), "BMP")
    picture.convert("L").save(place(out, "bmp", "grey8.bmp"), "BMP")
    picture.crop((0, 0, 61, 47)).save(place(out, "bmp", "padded24.bmp"), "BMP")
    lines = bytearray(open(place(out, "bmp", "rgb24.bmp"), "rb").read())
    struct.pack_into("<i", lines, 22, -samples.shape[0])
    write(place(out, "bmp", "topdown24.bmp"), bytes(lines))

    faded = picture.copy()
    faded.putalpha(Image.fromarray(samples[..., 2]))
    picture.save(place(out, "webp", "lossy.webp"), "WEBP", quality=80)
    picture.save(place(out, "webp", "lossless.webp"), "WEBP", lossless=True)
    faded.save(place(out, "webp", "alpha.webp"), "WEBP", quality=70)
    faded.save(place(out, "webp", "alpha-lossless.webp"), "WEBP", lossless=True)
    frames[0].save(place(out, "webp", "animated.webp"), "WEBP", save_all=True, append_images=frames[1:2])


def feature(values):
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example(rng, number):
    features = {
        "image": feature([rng.bytes(150)]),
        "numbers": feature([float(one) for one in rng.random(4)]),
        "label": feature([number % 7]),
        "words": feature([b"left", b"right" * (number % 3)]),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def sequence(rng, number):
    steps = [feature([float(one) for one in rng.random(2)]) for _ in range(number % 4 + 1)]
    lists = tf.train.FeatureLists(feature_list={"steps": tf.train.FeatureList(feature=steps)})
    context = tf.train.Features(feature={"label": feature([number])})
    return tf.train.SequenceExample(context=context, feature_lists=lists).SerializeToString()


def make_records(out, rng):
    for kind, maker in (("examples", example), ("sequences", sequence)):
        records = [maker(rng, number) for number in range(24)]
        for folder, packing in (("tfrecord", None), ("tfrecord-gzip", "GZIP"), ("tfrecord-zlib", "ZLIB")):
            with tf.io.TFRecordWriter(place(out, folder, kind + ".tfrecord"), packing) as writer:
                for record in records:
                    writer.write(record)


def make_arrays(out, rng):
    small = rng.random((24, 16)).astype("f4")
    arrays = {
        "float32": small,
        "float64": rng.random((12, 16)),
        "float16": small.astype("f2"),
        "big-endian": small.astype(">f4"),
        "fortran-int64": np.asfortranarray(rng.integers(-9, 9, (20, 15))),
        "bytes": pattern(rng, 16, 20),
        "bool": small > 0.5,
        "structured": np.array([(0.5 * one, one) for one in range(40)], dtype=[("weight", "<f4"), ("count", "<i8")]),
        "unicode": np.array(["left", "right", "straight on"]),
    }
    for name, array in arrays.items():
        np.save(place(out, "npy", name + ".npy"), array)
    np.savez(place(out, "npz", "stored.npz"), x=small, y=np.arange(50))
    np.savez_compressed(place(out, "npz", "packed.npz"), x=small, y=np.arange(50))

    from safetensors.numpy import save_file

    tensors = {"kernel": small, "steps": np.arange(60), "half": small.astype("f2")}
    save_file(tensors, place(out, "safetensors", "three.safetensors"))
    save_file({"kernel": small}, place(out, "safetensors", "one.safetensors"), metadata={"made": "for a test"})

    for protocol in (2, 4, 5):
        content = {"kernel": small, "names": ["left", "right"], "steps": 17, "rate": 0.25}
        write(place(out, "pickle", f"protocol{protocol}.pkl"), pickle.dumps(content, protocol))


def make_tables_and_sound(out, rng):
    rows = ["size,weight,label"]
    rows += [f"{number},{weight:.5f},{'left' if number % 2 else 'right'}" for number, weight in enumerate(rng.random(60))]
    write(place(out, "csv", "plain.csv"), ("\n".join(rows) + "\n").encode())
    quoted = [f'{number},"a ""word"", quoted {number}",{weight:.3f}' for number, weight in enumerate(rng.random(40))]
    write(place(out, "csv", "quoted.csv"), ("\r\n".join(['number,"text",value', *quoted]) + "\r\n").encode())

    sound = rng.normal(0, 0.2, (700, 2))
    write(place(out, "wav", "stereo.wav"), tf.audio.encode_wav(tf.constant(sound, tf.float32), 16000).numpy())
    mono = tf.audio.encode_wav(tf.constant(sound[:, :1], tf.float32), 8000).numpy()
    write(place(out, "wav", "mono.wav"), mono)
    note = b"LIST" + struct.pack("<I", 18) + b"INFOISFT" + struct.pack("<I", 6) + b"tests\0"
    listed = mono[:36] + note + mono[36:]
    write(place(out, "wav", "listed.wav"), listed[:4] + struct.pack("<I", len(listed) - 8) + listed[8:])


def make_hdf5(out, rng):
    import h5py

    small = rng.random((24, 16)).astype("f4")
    for name, version in (("earliest", "earliest"), ("latest", "latest")):
        with h5py.File(place(out, "hdf5", name + ".h5"), "w", libver=version, track_order=False) as file:
            file["images"] = pattern(rng, 16, 20)
            file.create_dataset("group/weights", data=small)
            file.create_dataset("group/labels", data=np.arange(30))
            file.attrs["made"] = "for a test"
    with h5py.File(place(out, "hdf5", "chunked.h5"), "w") as file:
        options = {"chunks": (8, 16), "compression": "gzip", "shuffle": True}
        file.create_dataset("packed", data=np.round(small, 1), **options)
        file.create_dataset("summed", data=small, chunks=(8, 16), fletcher32=True)
        file.create_dataset("plain", data=small, chunks=(5, 7))
        file.create_dataset("words", data=["left", "right", "straight on"], dtype=h5py.string_dtype())


def concrete(network, shape):
    function = tf.function(lambda x: tf.identity(network(x), name="out"))
    return function.get_concrete_function(tf.TensorSpec(shape, tf.float32, name="x"))


def make_keras(out):
    network = model.dense(tf)
    network.save(place(out, "keras", f"dense-{VERSION}.keras"))
    if VERSION.startswith("2.12"):
        # Its default under this name is HDF5; the zip has to be asked for.
        network.save(place(out, "keras", f"zip-{VERSION}.keras"), save_format="keras_v3")
    network.save(place(out, "keras-h5", f"dense-{VERSION}.h5"))
    network.save_weights(place(out, "weights-h5", f"dense-{VERSION}.weights.h5"))


def make_graphs(out):
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2 as freeze

    frozen = {"dense": (model.dense(tf), [None, 16]), "convolution": (model.convolution(tf), [1, 12, 12, 3])}
    for name, (network, shape) in frozen.items():
        graph = freeze(concrete(network, shape)).graph.as_graph_def()
        write(place(out, "graphdef", f"{name}-{VERSION}.pb"), graph.SerializeToString())
    lite = {
        **{name: (*one, False) for name, one in frozen.items()},
        "quantised": (model.convolution(tf), [1, 12, 12, 3], True),
        "recurrent": (model.recurrent(tf), [1, 6, 4], False),
    }
    for name, (network, shape, small) in lite.items():
        converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete(network, shape)])
        if small:
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            images = [np.random.default_rng(one).random(shape, dtype="f4") for one in range(8)]
            converter.representative_dataset = lambda: ([image] for image in images)
        write(place(out, "tflite", f"{name}-{VERSION}.tflite"), converter.convert())


class Served(tf.Module):
    """Variables, a function with control flow, and a table that is filled from an asset."""

    def __init__(self, vocabulary):
        self.kernel = tf.Variable(tf.random.normal([16, 12]), name="kernel")
        self.bias = tf.Variable(tf.zeros([12]), name="bias")
        whole, line = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
        words = tf.lookup.TextFileInitializer(vocabulary, tf.string, whole, tf.int64, line)
        self.table = tf.lookup.StaticHashTable(words, -1)

    @tf.function(input_signature=[tf.TensorSpec([None, 16], tf.float32, name="x")])
    def serve(self, x):
        y = tf.nn.relu(x @ self.kernel + self.bias)
        place = tf.cast(self.table.lookup(tf.constant("right")), tf.float32)
        return {"y": tf.cond(tf.reduce_sum(y) > 0, lambda: y + place, lambda: y)}


def make_saved(out):
    vocabulary = place(out, "words.txt")
    write(vocabulary, b"left\nright\nstraight on\n")
    served = Served(vocabulary)
    tf.saved_model.save(served, place(out, "saved-model", f"served-{VERSION}"), signatures=served.serve)
    os.remove(vocabulary)

    values = [tf.Variable(tf.random.normal([20, 16])) for _ in range(3)]
    steps, name = tf.Variable(7, dtype=tf.int64), tf.Variable(b"made for a test")
    prefix = place(out, "checkpoint", f"object-{VERSION}", "ck")
    tf.train.Checkpoint(values=values, steps=steps, name=name).write(prefix)
    saver = place(out, "checkpoint", f"saver-{VERSION}", "ck")
    with tf.Graph().as_default():
        v1 = tf.compat.v1
        for number in range(3):
            v1.get_variable(f"layer{number}/kernel", initializer=tf.random.stateless_normal([20, 16], [number, 1]))
        v1.get_variable("steps", initializer=tf.constant(7, tf.int64))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            v1.train.Saver(sharded=True).save(session, saver, write_meta_graph=False)
    for folder in (os.path.dirname(prefix), os.path.dirname(saver)):
        for extra in set(os.listdir(folder)) & {"checkpoint"}:
            os.remove(os.path.join(folder, extra))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out")
    arguments.add_argument("--data", action="store_true")
    given = arguments.parse_args()
    tf.random.set_seed(6)
    rng = np.random.default_rng(6)
    if given.data:
        for make in (make_jpegs, make_pngs, make_other_images, make_records, make_arrays, make_tables_and_sound, make_hdf5):
            make(given.out, rng)
    make_keras(given.out)
    make_graphs(given.out)
    make_saved(given.out)


if __name__ == "__main__":
    main()
