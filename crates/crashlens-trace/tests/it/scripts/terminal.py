"""A person at a terminal: runs an interactive shell on a pty and types when text appears.

terminal.py STEPS SHELL ARGS...   STEPS: JSON list of [text to wait for, text to type]
Everything that appears is written to standard output.
"""
import json
import os
import pty
import sys

steps = json.loads(sys.argv[1])
child, master = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
seen = b""
try:
    while True:
        if steps and steps[0][0].encode() in seen:
            # What was waited for is used up, so that the same words can be waited for again.
            seen = seen.split(steps[0][0].encode(), 1)[1]
            os.write(master, steps.pop(0)[1].encode())
            continue
        chunk = os.read(master, 4096)
        if not chunk:
            break
        seen += chunk
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
except OSError:
    pass  # the terminal closes when the last process on it ends
os.waitpid(child, 0)
