"""Where the `crashlens` program is."""

import os
import sys
from typing import Iterator, Optional


def find() -> Optional[str]:
    """The program of this installation, else one on `PATH`.

    A relative path is never used: whoever can write to the working directory could put a program there.
    """
    for path in _candidates():
        if os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _candidates() -> Iterator[str]:
    # For tests.
    chosen = None if sys.flags.ignore_environment else os.environ.get("CRASHLENS_BINARY")
    if chosen:
        yield chosen
        return
    for folder in _folders():
        if folder:
            yield os.path.join(folder, "crashlens")


def _folders() -> Iterator[Optional[str]]:
    # `pip install --target FOLDER` puts programs into `FOLDER/bin`.
    package = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(os.path.dirname(package), "bin")
    import site
    import sysconfig

    yield sysconfig.get_path("scripts")
    if site.ENABLE_USER_SITE and "posix_user" in sysconfig.get_scheme_names():
        # `pip install --user`. Where the interpreter does not trust that folder, we do not either.
        yield sysconfig.get_path("scripts", "posix_user")
    yield os.path.dirname(sys.executable or "")
    yield from os.environ.get("PATH", "").split(os.pathsep)
