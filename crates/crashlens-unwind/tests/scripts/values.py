# -*- coding: utf-8 -*-
"""Holds a value of every kind in its variables, says what they are, and waits."""
import argparse
import collections
import os
import sys

sys.setrecursionlimit(3456)
number_of_module = 41
Point = collections.namedtuple("Point", "x y")


class Plain(object):
    def __init__(self):
        self.size = 3
        self.name = "plain"


class Slotted(object):
    __slots__ = ("x",)


class Word(str):
    pass


class Whole(int):
    pass


class Real(float):
    pass


class Items(dict):
    pass


def name_of(kind):
    module = kind.__module__
    return kind.__name__ if module in ("builtins", "__builtin__") else module + "." + kind.__name__


def tell(variables):
    for name, value in sorted(variables.items()):
        text = repr(value)
        if isinstance(value, (Plain, Slotted)):
            text = ""
        elif isinstance(value, Point):
            text = repr(tuple(value))
        elif isinstance(value, collections.OrderedDict):
            text = repr(dict(value))
        sys.stdout.write("%s\t%s\t%s\n" % (name, name_of(type(value)), text))
    sys.stdout.write("ready\n")
    sys.stdout.flush()


def holder(first, shared, *rest, **options):
    nothing = None
    yes, no = True, False
    zero, one, negative = 0, 1, -7
    thirty_bits, more = 2 ** 30, -(2 ** 31) - 5
    big, bigger = 2 ** 64 + 1, -(10 ** 60)
    whole, real, word = Whole(12), Real(2.5), Word("sub")
    real_numbers = [0.1, -0.0, 1e16, 1.5e-5, float("inf"), 3.0]
    imaginary = 1.5 - 2j
    empty, ascii_text = "", "it's \"quoted\" and \\ \n\t"
    bytes_value, buffer = b"\x00ab\xff'", bytearray(b"xyz")
    list_value, tuple_value, single = [1, [2, [3]]], (1, "two", None), (5,)
    dictionary, one_key = {}, {"a": {1: (2.5, b"x")}}
    set_value, frozen, empty_set = {7}, frozenset([8]), set()
    removed = {1: "one", 2: "two"}
    del removed[1]
    point, items, ordered = Point(1, 2), Items(a=1), collections.OrderedDict([("z", 1)])
    cut = slice(1, None, 2)
    plain, slotted = Plain(), Slotted()
    settings = argparse.Namespace(rate=0.5, sizes=[1, 2])
    changed = argparse.Namespace(b=1)
    changed.__dict__["a"] = 2
    del changed.b
    failure = ValueError("bad", 3)
    deleted = 5
    del deleted
    closure = lambda: (shared, later)
    later = "later"
    tell(dict((name, value) for name, value in locals().items() if name != "closure"))
    os.read(0, 1)
    return closure


class Method(object):
    def call(self):
        kept = 3
        holder(1, "of closure", 2, "three", four=4)
        return kept


Method().call()
