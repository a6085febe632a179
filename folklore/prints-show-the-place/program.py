import ctypes
import os
import sys

# As in a job whose output goes to a file.
os.environ.pop("PYTHONUNBUFFERED", None)
if len(sys.argv) == 1:
    os.execv(sys.executable, [sys.executable, sys.argv[0], "again"])
print("step 1")
print("step 2")
ctypes.string_at(0)
