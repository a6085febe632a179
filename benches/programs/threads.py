"""threads.py N: makes N threads, one after another, and waits for each."""

import sys
import threading

for _ in range(int(sys.argv[1])):
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
