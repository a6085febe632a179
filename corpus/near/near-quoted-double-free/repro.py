import ctypes
import sys

print("seen last week: double free or corruption (out)", file=sys.stderr)
print("double free or corruption (out)", file=sys.stderr, flush=True)
ctypes.memset(0, 1, 8)
