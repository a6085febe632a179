import ctypes
import sys

print("[ 4711.000000] Out of memory: Killed process 4242 (python3) total-vm:9000000kB, anon-rss:8000000kB", file=sys.stderr, flush=True)
ctypes.string_at(0)
