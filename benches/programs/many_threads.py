"""many_threads.py N: dies in native code while N other threads wait."""

import ctypes
import sys
import threading

never = threading.Event()
count = int(sys.argv[1])
started = threading.Barrier(count + 1)


def serve():
    started.wait()
    never.wait()


threading.stack_size(256 * 1024)
for _ in range(count):
    threading.Thread(target=serve, daemon=True).start()
started.wait()
ctypes.string_at(0)
