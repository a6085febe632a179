"""What `crashlens.pth` and `crashlens.start` call when an interpreter starts."""

import os


def begin() -> None:
    """Enable crashlens if the environment asks for it: `CRASHLENS=1`."""
    if os.environ.get("CRASHLENS", "0") in ("", "0"):
        return
    from crashlens import enable

    enable()
