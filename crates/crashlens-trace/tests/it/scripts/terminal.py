"""A person at a terminal with a shell: types when text appears.

terminal.py STEPS PROGRAM ARGS...   STEPS: JSON list of [text to wait for, text to type]

The shell runs the program as its foreground job. When the job stops it says so, waits for a line and
continues the job; at the job's end it tells its code. All that appears is written to standard output.
(A real interactive shell loses characters that are typed while it prepares its prompt.)
"""
import json
import os
import pty
import signal
import sys


def shell(command):
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        # As an interactive shell does for its jobs: the tests may have been started in the background, without Ctrl-C.
        for key in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTOU:
            signal.signal(key, signal.SIG_DFL)
        os.execvp(command[0], command)
    while True:
        status = os.waitpid(job, os.WUNTRACED)[1]
        os.tcsetpgrp(0, os.getpid())
        if not os.WIFSTOPPED(status):
            print(f"code={os.waitstatus_to_exitcode(status)}", flush=True)
            return
        print("job stopped", flush=True)
        os.read(0, 100)
        os.tcsetpgrp(0, job)
        print("job continued", flush=True)
        os.killpg(job, signal.SIGCONT)


steps = json.loads(sys.argv[1])
child, master = pty.fork()
if child == 0:
    shell(sys.argv[2:])
    os._exit(0)
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
