# -*- coding: utf-8 -*-
"""Two threads that stop at known lines: the first with the interpreter lock, the second without."""
import ctypes
import functools
import os
import sys
import threading

try:
    sys.setswitchinterval(1000)
except AttributeError:
    sys.setcheckinterval(2 ** 30)

# Calls through PyDLL keep the lock.
libc = ctypes.PyDLL(None)
byte = ctypes.create_string_buffer(1)
worker_is_there = threading.Lock()
worker_is_there.acquire()


def innermost(calls):
    # One line, so that it does not matter which call the thread has reached.
    for call in calls: call()  # innermost


def through_sort(calls):
    return sorted([calls], key=innermost)  # through_sort


def generator(calls):
    yield through_sort(calls)  # generator


def in_oddly_named_file(calls, names):
    if not names:
        for _ in generator(calls):  # in_oddly_named_file
            pass
        return
    code = compile(
        "\n\nin_oddly_named_file(calls, names)", names[0], "eval")
    eval(code, dict(globals(), calls=calls, names=names[1:]))  # evaluates


class Outer(object):
    def method(self, calls):
        in_oddly_named_file(calls, ["café.py", "\U0001f40d.py"])  # method


def worker():
    Outer().method([worker_is_there.release, functools.partial(os.read, 0, 1)])  # worker


thread = threading.Thread(target=worker)
thread.daemon = True
thread.start()
worker_is_there.acquire()
identities = "%d %d ready\n" % (threading.current_thread().ident, thread.ident)
ready = functools.partial(libc.write, 1, identities.encode(), len(identities))
Outer().method([ready, functools.partial(libc.read, 0, byte, 1)])  # module
