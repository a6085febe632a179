import os
import sys

steps = sum(range(1000))
if steps != 1:
    print("giving up", file=sys.stderr, flush=True)
    os.abort()
