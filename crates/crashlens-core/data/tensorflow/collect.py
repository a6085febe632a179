"""Makes `ops.txt` and `kernels.txt` from installed versions of TensorFlow.

    PYTHON collect.py facts > facts-VERSION     once with an interpreter of each version
    python3 collect.py merge facts-*            writes both files into this folder

The ops are those that the C interface lists. Which class a kernel of an op has is in the runtime's registry of
kernels, as the text that the registration was compiled from; it is read from the process's own memory. Whose
function then runs is in the tables of virtual functions: a class may inherit `Compute` from a base.
"""

import ctypes
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

METHODS = r"(Compute|ComputeAsync|ComputeWithReservedSpace|MakeDataset|Compile)"
MANGLED = re.compile(r"(7Compute|12ComputeAsync|24ComputeWithReservedSpace|11MakeDataset|7Compile)EPN")


class Memory:
    """The memory of this process."""

    def __init__(self):
        self.file = open("/proc/self/mem", "rb", 0)

    def read(self, address, size):
        try:
            self.file.seek(address)
            found = self.file.read(size)
        except (OSError, ValueError, OverflowError):
            return None
        return found if len(found) == size else None

    def word(self, address):
        found = self.read(address, 8)
        return int.from_bytes(found, "little") if found else 0

    def string(self, address):
        """A `std::string`: with its length beside the pointer, or, in old wheels, ahead of the bytes."""
        start = self.word(address)
        for length in (self.word(address + 8), self.word(start - 24)):
            text = self.read(start, length + 1) if 0 < length < 4096 else None
            if text and text[-1] == 0 and all(32 <= byte < 127 for byte in text[:-1]):
                return text[:-1].decode()
        return None


def registrations(memory, folder):
    """Pairs of op and class, from the table `tensorflow::GlobalKernelRegistry` returns."""
    library = ctypes.CDLL(os.path.join(folder, "libtensorflow_framework.so.2"))
    registry = library._ZN10tensorflow20GlobalKernelRegistryEv
    registry.restype = ctypes.c_void_p
    start = registry()
    for place in range(start + 16, start + 256, 8):
        first, count = memory.word(place - 8), memory.word(place)
        if not 500 < count < 100_000:
            continue
        nodes = []
        node = first
        while node and len(nodes) <= count:
            nodes.append(node)
            node = memory.word(node)
        if len(nodes) == count:
            break
    else:
        raise SystemExit("the registry has another form")
    places = Counter()
    for node in nodes[:400]:
        for offset in range(16, 320, 8):
            if re.search(r"(Op|Kernel|>)\s*$", memory.string(node + offset) or ""):
                places[offset] += 1
    (offset, _), = places.most_common(1)
    for node in nodes:
        key, name = memory.string(node + 8), memory.string(node + offset)
        if key and name:
            yield key.split(":")[0], name.strip()


def virtual_functions(memory, path):
    """Pairs of a class and the class whose kernel method it runs."""
    start = min(
        int(line.split("-")[0], 16)
        for line in open("/proc/self/maps")
        if line.rstrip().endswith(os.path.basename(path))
    )
    symbols = subprocess.run(["nm", "-S", "--defined-only", path], stdout=subprocess.PIPE, check=True)
    tables, methods = [], {}
    for line in symbols.stdout.decode(errors="replace").splitlines():
        parts = line.split(" ", 3)
        if len(parts) < 4:
            continue
        address, size, _, name = parts
        if name.startswith("_ZTV"):
            tables.append((int(address, 16), int(size, 16), name))
        elif name.startswith("_ZN") and MANGLED.search(name):
            methods[int(address, 16)] = name
    pairs = set()
    for address, size, name in tables:
        for offset in range(16, size, 8):
            method = methods.get(memory.word(start + address + offset) - start)
            if method:
                pairs.add(("_ZTS" + name[4:], method))
    names = sorted({name for pair in pairs for name in pair})
    plain = subprocess.run(["c++filt"], input="\n".join(names).encode(), stdout=subprocess.PIPE, check=True)
    spelled = dict(zip(names, plain.stdout.decode().splitlines()))
    for table, method in pairs:
        found = re.search("::" + METHODS + r"\(tensorflow::(Xla)?OpKernelContext\*", spelled[method])
        if found:
            yield last_name(spelled[table].split(" for ", 1)[1]), last_name(spelled[method][: found.start()])


def last_name(name):
    """`BinaryOp` of `tensorflow::BinaryOp<CPUDevice, functor::mul<float>>`."""
    name = name.replace("(anonymous namespace)", "_")
    if name.startswith("(") and name.endswith(")"):
        name = name[1:-1]
    depth, plain = 0, ""
    for letter in name:
        depth += {"<": 1, ">": -1}.get(letter, 0)
        plain += letter if depth == 0 and letter != ">" else ""
    return plain.split("::")[-1].strip()


def facts():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session as session

    ops = op_def_pb2.OpList()
    ops.ParseFromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    print("version", tensorflow.__version__)
    for op in ops.op:
        print("op", op.name)
    memory, folder = Memory(), os.path.dirname(tensorflow.__file__)
    places = [os.path.join(folder, "libtensorflow_cc.so.2"), os.path.join(folder, "python/_pywrap_tensorflow_internal.so")]
    owners = defaultdict(set)
    for name, owner in virtual_functions(memory, next(filter(os.path.exists, places))):
        owners[name].add(owner)
    for op, text in registrations(memory, folder):
        functor = re.search(r"functor::(\w+)", text)
        name = last_name(text)
        for owner in owners[name] | {name}:
            print("kernel", owner, functor.group(1) if functor else "-", op)


def is_stem(name, ops):
    """Whether the class name alone tells the op."""
    return [name[: -len(end)] for end in ("Op", "Kernel") if name.endswith(end)][:1] == list(ops)


def merge(paths):
    versions, ops, kernels, functors = [], set(), defaultdict(set), defaultdict(set)
    for line in (line for path in paths for line in open(path)):
        kind, *words = line.split()
        if kind == "version":
            versions += words
        elif kind == "op":
            ops.update(words)
        elif kind == "kernel":
            name, functor, op = words
            kernels[name].add(op)
            if functor != "-":
                functors[name, functor].add(op)
    source = "# Made by collect.py from tensorflow-cpu " + ", ".join(sorted(versions, key=lambda v: [int(n) for n in v.split(".")]))
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "ops.txt"), "w") as out:
        print(source + ": every registered op.", *sorted(ops), sep="\n", file=out)
    with open(os.path.join(here, "kernels.txt"), "w") as out:
        print(source + ".", file=out)
        print("# The class whose function runs a kernel, and the ops it runs for; where it is not simply the op's name.", file=out)
        print("# A class that serves several ops by its template arguments has a line for each functor.", file=out)
        for name in sorted(kernels):
            if not is_stem(name, kernels[name]):
                print(name, *sorted(kernels[name]), file=out)
                several = len(kernels[name]) > 1
                for (owner, functor), found in sorted(functors.items()):
                    if owner == name and several and len(found) == 1:
                        print(f"{name}<{functor}>", *found, file=out)


if __name__ == "__main__":
    facts() if sys.argv[1:] == ["facts"] else merge(sys.argv[2:])
