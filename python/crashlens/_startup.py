"""What `crashlens.pth` and `crashlens.start` call when an interpreter starts."""

import os
import sys


def begin() -> None:
    """Enable crashlens if the environment asks for it: `CRASHLENS=1`."""
    if os.environ.get("CRASHLENS", "0") in ("", "0"):
        return
    # What is raised here would be a traceback before the program begins.
    try:
        from crashlens import enable

        enable()
    except Exception as error:
        print("crashlens: cannot watch this process: {}".format(error), file=sys.stderr)
