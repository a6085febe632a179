"""Holds arrays and tensors in the variables of its frames, says what they are, and dies."""

import ctypes
import json
import mmap
import os
import sys
import tempfile
import warnings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
warnings.simplefilter("ignore")

import numpy as np

told = {}


def tell(**expected):
    """Says what the variables of the calling function are."""
    told.setdefault(sys._getframe(1).f_code.co_name, {}).update(expected)


def field(dtype):
    if dtype.subdtype:
        element, shape = dtype.subdtype
        return "%s, %s" % (field(element), shape)
    if dtype.names:
        return record(dtype)
    return "'%s'" % {"|b1": "?"}.get(dtype.str, dtype.str.lstrip("|"))


def record(dtype):
    return "[%s]" % ", ".join("('%s', %s)" % (name, field(dtype.fields[name][0])) for name in dtype.names)


def of_numpy(array, mapped=True):
    return {
        "kind": "numpy",
        "shape": list(array.shape),
        "dtype": record(array.dtype) if array.dtype.names else str(array.dtype),
        "strides": list(array.strides),
        "data": array.__array_interface__["data"][0],
        "data_mapped": None if array.size == 0 or array.itemsize == 0 else mapped,
    }


def dies():
    print(json.dumps(told))
    sys.stdout.flush()
    ctypes.string_at(0)


def numbers(then):
    boolean = np.zeros((2, 3), "?")
    int8, uint8 = np.zeros(3, "i1"), np.zeros(3, "u1")
    int16, uint16 = np.zeros((1, 1), "i2"), np.zeros(9, "u2")
    int32, uint32 = np.zeros((4, 5), "i4"), np.zeros(1, "u4")
    int64, uint64 = np.zeros(7, "i8"), np.zeros((2, 2, 2), "u8")
    longlong, ulonglong = np.zeros(7, np.longlong), np.zeros(7, np.ulonglong)
    float16, float32, float64 = np.zeros(2, "f2"), np.zeros((32, 10), "f4"), np.zeros((3, 1, 4))
    longdouble, clongdouble = np.zeros(2, np.longdouble), np.zeros(2, np.clongdouble)
    complex64, complex128 = np.zeros(2, "c8"), np.zeros((1, 2), "c16")
    big_endian, big_integer = np.zeros((2, 3), ">f4"), np.zeros(2, ">i8")
    tell(**{name: of_numpy(array) for name, array in locals().items() if name != "then"})
    then()


def others(then):
    objects = np.array([None, 1, "x"], dtype=object)
    text, short_text, no_text = np.array(["abc", "d"]), np.array("x"), np.zeros(2, "U0")
    bytestrings = np.array([b"abcde", b""])
    raw = np.zeros(3, "V6")
    days, moments, no_unit = np.zeros(2, "M8[D]"), np.zeros((2, 2), "M8[ns]"), np.zeros(1, "M8")
    durations, weeks = np.zeros(2, "m8[25us]"), np.zeros(2, "m8[W]")
    fields = np.zeros(3, [("a", "i4"), ("b", ">f8", (2, 3)), ("c", "S5"), ("d", "?"), ("t", "M8[s]")])
    nested = np.zeros(3, [("outer", [("x", "f4"), ("y", "O")]), ("z", "U3", (2,))])
    spread = np.zeros(2, {"names": ["x", "y"], "formats": ["i2", "i4"], "offsets": [0, 4], "itemsize": 16})
    records = np.rec.array([(1, 2.0)], dtype=[("n", "i8"), ("v", "f8")])
    tell(**{name: of_numpy(array) for name, array in locals().items() if name != "then"})
    tell(records={**of_numpy(records), "dtype": "[('n', '<i8'), ('v', '<f8')]"})
    then()


def shapes(then):
    scalar, vector = np.array(1.5), np.arange(5)
    empty, empty_matrix, empty_wide = np.zeros(0), np.zeros((0, 3), "f4"), np.zeros((2**20, 0, 2), "i1")
    rank32 = np.zeros((1, 2) * 16, "i1")
    base = np.arange(120.0).reshape(4, 5, 6)
    transposed, reversed_rows, every_second = base.T, base[::-1], base[:, ::2, 1:3]
    negative = base[::-2, ::-1, ::-3]
    fortran = np.asfortranarray(base)
    broadcast = np.broadcast_to(np.float32(1), (1000, 1000))
    overlapping = np.lib.stride_tricks.as_strided(base, (3, 3), (8, 8))
    window = base[1:3, 2:4, 5]
    read_only = np.arange(3)
    read_only.flags.writeable = False
    unaligned = np.zeros(17, "u1")[1:].view("f8")
    large = np.zeros((1 << 20, 3), "f4")
    tell(**{name: of_numpy(array) for name, array in locals().items() if name != "then"})
    then()


class Derived(np.ndarray):
    pass


def subclasses(then):
    file = tempfile.NamedTemporaryFile()
    file.write(bytes(8192))
    file.flush()
    mapped = np.memmap(file.name, "i2", "r", shape=(16, 256))
    matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    masked = np.ma.masked_array(np.arange(6).reshape(2, 3), mask=False)
    derived = np.zeros((2, 2), "f4").view(Derived)
    tell(**{name: of_numpy(np.asarray(array)) for name, array in locals().items() if name not in ("then", "file")})
    then()


def gone(then):
    """Arrays over memory that was given back."""
    page = mmap.PAGESIZE
    anonymous = ctypes.CDLL(None).mmap
    anonymous.restype = ctypes.c_void_p
    anonymous.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    start = anonymous(None, 3 * page, 3, 0x22, -1, 0)

    def over(length, offset=0):
        return np.frombuffer((ctypes.c_char * length).from_address(start + offset), "f4")

    whole, first, last, last_reversed = over(3 * page), over(page), over(page, 2 * page), over(page, 2 * page)[::-1]
    across = over(2 * page, page)[::-1]
    protected = over(page)
    gone = {"whole": False, "first": False, "last": True, "last_reversed": True, "across": False, "protected": False}
    arrays = locals()
    expected = {name: of_numpy(arrays[name], is_mapped) for name, is_mapped in gone.items()}
    tell(**expected)
    del arrays, expected, gone
    libc = ctypes.CDLL(None)
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.munmap(start + page, page)
    libc.mprotect(start, page, 0)
    then()


def numpy_2(then):
    if hasattr(np.dtypes, "StringDType") if hasattr(np, "dtypes") else False:
        strings = np.array(["a", "bc"], dtype=np.dtypes.StringDType())
        rank64 = np.zeros((1,) * 64, "f4")
        tell(strings={**of_numpy(strings), "dtype": "StringDType"}, rank64=of_numpy(rank64))
        then()
    else:
        then()


def registered(then):
    import ml_dtypes

    bfloat16, float8 = np.zeros((2, 3), ml_dtypes.bfloat16), np.zeros(3, ml_dtypes.float8_e5m2)
    tell(bfloat16=of_numpy(bfloat16), float8=of_numpy(float8))
    then()


def numpy_calls():
    calls = [numbers, others, shapes, subclasses, gone, numpy_2]
    try:
        import ml_dtypes
    except ImportError:
        return calls
    return calls + [registered]


def main():
    """The argument says what to show: more at once would be more than is read of a process."""
    what = sys.argv[1]
    calls = numpy_calls() if what == "numpy" else __import__(what.split(".")[0]).CALLS[what]

    def call(index):
        if index == len(calls):
            dies()
        calls[index](lambda: call(index + 1))

    call(0)


if __name__ == "__main__":
    main()
