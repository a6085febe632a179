"""forks.py N: makes N processes, one after another, and waits for each."""

import os
import sys

for _ in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
