"""signals.py N: a process that receives N signals, one after another."""

import os
import signal
import sys

signal.signal(signal.SIGUSR1, lambda *_: None)
process = os.getpid()
for _ in range(int(sys.argv[1])):
    os.kill(process, signal.SIGUSR1)
