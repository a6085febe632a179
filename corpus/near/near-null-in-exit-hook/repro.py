import atexit
import ctypes


def write_summary():
    return ctypes.string_at(16, 4)


atexit.register(write_summary)
print("work is done")
