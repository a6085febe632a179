"""`enable()` and what belongs to it."""

import os
from typing import Union

_Path = Union[str, "os.PathLike[str]"]


def enable() -> bool:
    """Watch this process and everything it starts."""
    return False


def disable() -> None:
    """Stop watching this process."""


def is_enabled() -> bool:
    """Whether crashlens watches this process."""
    return False
