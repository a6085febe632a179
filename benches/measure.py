"""measure.py RESULT COMMAND...: runs a command and writes what it used as JSON.

The figures are of the command and of all descendants that were waited for.
"""

import json
import os
import sys
import time

result, command = sys.argv[1], sys.argv[2:]
start = time.monotonic()
pid = os.fork()
if pid == 0:
    try:
        os.execvp(command[0], command)
    finally:
        os._exit(127)
_, status, usage = os.wait4(pid, 0)
code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
with open(result, "w") as out:
    json.dump(
        {
            "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "elapsed_seconds": time.monotonic() - start,
            "peak_kib": usage.ru_maxrss,
            "exit_code": code,
        },
        out,
    )
