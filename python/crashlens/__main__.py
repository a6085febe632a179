"""`python -m crashlens script.py`: the same as `crashlens run -- python script.py`."""

import os
import signal
import subprocess
import sys
from typing import List

from crashlens import _binary

_USAGE = "usage: python -m crashlens [-m MODULE | -c CODE | SCRIPT] [ARGUMENT]..."


def main(arguments: List[str]) -> str:
    """Run Python with these arguments under crashlens; return only to say why that is impossible."""
    if not arguments:
        return _USAGE
    binary = _binary.find()
    if binary is None:
        return "crashlens: cannot find the crashlens program; install the package again"
    if not sys.executable:
        return "crashlens: cannot find the Python interpreter that runs this"
    # The interpreter has changed these for itself; a program that is started without it has them as they were.
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    command = [binary, "run", "--", sys.executable, *_flags(), *arguments]
    try:
        os.execv(binary, command)
    except OSError as error:
        return "crashlens: cannot start {}: {}".format(binary, error.strerror)


def _flags() -> List[str]:
    """The options of this interpreter, as `multiprocessing` passes them on."""
    try:
        return list(subprocess._args_from_interpreter_flags())  # type: ignore[attr-defined]
    except AttributeError:
        return []


if __name__ == "__main__":
    print(main(sys.argv[1:]), file=sys.stderr)
    sys.exit(2)
