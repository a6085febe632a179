import ctypes

libc = ctypes.CDLL(None)
stream = libc.fopen(b"notes.txt", b"w")
libc.fclose(stream)
