import ctypes

try:
    ctypes.string_at(0)
except BaseException as error:
    print("caught", error)
finally:
    print("cleaned up")
