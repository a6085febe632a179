# An allocator that is not there: the loader says so, and goes on.
LD_PRELOAD=/opt/missing/libjemalloc.so.2 exec "$1" repro.py
