import os
import sys

print("terminate called after throwing an instance of 'std::bad_alloc'", file=sys.stderr)
print("  what():  std::bad_alloc", file=sys.stderr, flush=True)
os.abort()
