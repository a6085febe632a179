"""An object whose end is the interpreter's end."""
import os


class Last(object):
    # Names of modules may be gone by then.
    def __del__(self, write=os.write, read=os.read):
        write(1, b"ready\n") and read(0, 1)


last = Last()
