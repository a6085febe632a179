"""enabled.py HOW SCRIPT [ARGUMENT]...: runs a script alone, or watched by `crashlens.enable()`, and prints figures as JSON.

HOW is `alone`, `before` (enabled before the script) or `after` (enabled when the script has run and all is loaded).
"""

import json
import runpy
import sys
import time

how, sys.argv = sys.argv[1], sys.argv[2:]
figures = {}


def enable():
    import crashlens

    begin = time.perf_counter()
    if not crashlens.enable(save=False):
        sys.exit("it is not watched")
    figures["enable_seconds"] = time.perf_counter() - begin


if how == "before":
    enable()
begin = time.perf_counter()
runpy.run_path(sys.argv[0], run_name="__main__")
figures["seconds"] = time.perf_counter() - begin
if how == "after":
    enable()
if how != "alone":
    from crashlens._status import tracer

    helper = tracer().pid
    with open("/proc/%d/stat" % helper) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    # Of the helper: processor time in user and kernel mode, in hundredths of a second.
    figures["helper_cpu_seconds"] = (int(fields[11]) + int(fields[12])) / 100
    with open("/proc/%d/status" % helper) as status:
        fields = dict(line.split(":", 1) for line in status)
    figures["helper_peak_kib"] = int(fields["VmHWM"].split()[0])
print(json.dumps(figures))
