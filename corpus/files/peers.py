#!/usr/bin/env python3
"""What other checkers say of damaged files.

    python peers.py < LIST

LIST is that of `read.py`. A line of the output is a label, a tool, and `flags` or `passes`: an exception, a finding, a
death and a hang are all flags. Needs pillow, tfrecord, h5py, modelscan
and picklescan; modelscan needs TensorFlow for some formats.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import h5py
from picklescan.scanner import scan_file_path
from PIL import Image

import children

IMAGES = ["jpeg", "png", "gif", "bmp", "webp"]
RECORDS = ["tfrecord", "tfrecord-gzip"]
HDF5 = ["hdf5", "keras-h5", "weights-h5"]
MODELS = ["saved-model", "keras", "keras-h5", "pickle"]
PICKLES = ["pickle", "npy", "npz"]


def pillow_verify(path):
    with Image.open(path) as image:
        image.verify()


def pillow_load(path):
    with Image.open(path) as image:
        # TensorFlow reads the first image of an animated PNG, and every frame of the other formats.
        frames = 1 if image.format == "PNG" else getattr(image, "n_frames", 1)
        for frame in range(frames):
            image.seek(frame)
            image.load()


# The next two declare the same messages, so that they cannot be in one process.
def tfrecord(path):
    from tfrecord.reader import example_loader, sequence_loader

    packing = "gzip" if "/tfrecord-gzip/" in path else None
    if "/examples@" in path:
        features = {"image": "byte", "numbers": "float", "label": "int", "words": "byte"}
        loaded = example_loader(path, None, features, compression_type=packing)
    else:
        loaded = sequence_loader(path, None, {"label": "int"}, {"steps": "float"}, compression_type=packing)
    for _ in loaded:
        pass


def h5py_walk(path):
    def look(_, item):
        dict(item.attrs)
        if isinstance(item, h5py.Dataset):
            item[()]

    with h5py.File(path, "r") as file:
        dict(file.attrs)
        file.visititems(look)


def modelscan(path):
    from modelscan.modelscan import ModelScan

    found = ModelScan().scan(path)
    return bool(found["issues"] or found["errors"])


def picklescan(path):
    found = scan_file_path(path)
    return bool(found.scan_err or found.infected_files or found.issues_count)


TOOLS = {
    "Pillow verify()": (IMAGES, pillow_verify),
    "Pillow load()": (IMAGES, pillow_load),
    "tfrecord": (RECORDS, tfrecord),
    "h5py": (HDF5, h5py_walk),
    "modelscan": (MODELS, modelscan),
    "picklescan": (PICKLES, picklescan),
}


def main():
    jobs = [tuple(line.rstrip("\n").split("\t")) for line in sys.stdin]
    for tool, (formats, check) in TOOLS.items():

        def attempt(label, path, way, check=check):
            try:
                return "flags" if check(path) else "passes"
            except Exception:
                return "flags"

        wanted = [job for job in jobs if job[0].split("/")[0] in formats]
        for start in range(0, len(wanted), 100):
            part = wanted[start : start + 100]
            for (label, _), said in zip(part, children.together(attempt, part), strict=True):
                print(label, tool, "passes" if said == "passes" else "flags", sep="\t", flush=True)


if __name__ == "__main__":
    main()
