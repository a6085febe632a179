import ctypes


def descend(depth):
    if depth == 0:
        target = (ctypes.c_char * 8)()
        return ctypes.memmove(target, None, 8)
    return descend(depth - 1)


descend(900)
