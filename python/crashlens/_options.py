"""The arguments of `enable()` as options of the `crashlens` program."""

import math
import os
import re
from typing import List, Optional, Protocol, Union

from crashlens._helper import CannotWatch

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class HasFileno(Protocol):
    """An open file."""

    def fileno(self) -> int:
        """Return its descriptor."""


File = Union[None, int, Path, HasFileno]
Save = Union[None, bool, Path]

# In the helper they would be other files than here.
_NUMBERS = {"/dev/stdout": 1, "/dev/stderr": 2}
_NUMBERED = re.compile(r"/(?:dev|proc/self)/fd/([0-9]+)")
# What the program takes: 136 years.
_MOST_SECONDS = 2**32 - 1


def options(
    file: File, save: Save, on_death: Optional[str], hang_after: Optional[float]
) -> List[str]:
    """Raise CannotWatch for what makes no sense."""
    made = _of_file(file)
    if save is False:
        made.append("--no-save")
    elif save is not None and save is not True:
        made.append("--save={}".format(_writable(save, "save")))
    if on_death is not None:
        if not isinstance(on_death, str) or "\0" in on_death:
            raise _wrong("on_death", on_death, "a shell command")
        made.append("--on-death={}".format(on_death))
    if hang_after is not None:
        made.append("--hang-after={}s".format(_seconds(hang_after)))
    return made


def absolute(path: Path) -> str:
    """The program may go to another folder, and the helper stays where it began."""
    return os.path.abspath(os.fsdecode(path))


def _of_file(file: File) -> List[str]:
    if file is None:
        return []
    try:
        number = _number(file)
        if number is None:
            return ["--output={}".format(_writable(file, "file"))]
        os.fstat(number)
    except (OSError, OverflowError, ValueError):
        raise CannotWatch("file={!r} is not open".format(file)) from None
    return ["--report-fd={}".format(number)]


def _number(file: Union[int, Path, HasFileno]) -> Optional[int]:
    """The descriptor that is meant. None for a path of any other file."""
    if isinstance(file, (str, bytes, os.PathLike)):
        name = os.fsdecode(file)
        numbered = _NUMBERED.fullmatch(name)
        return int(numbered.group(1)) if numbered else _NUMBERS.get(name)
    if isinstance(file, bool) or not (isinstance(file, int) or hasattr(file, "fileno")):
        raise _wrong("file", file, "a path, an open file or its descriptor")
    return file if isinstance(file, int) else file.fileno()


def _writable(path: object, argument: str) -> str:
    if not isinstance(path, (str, bytes, os.PathLike)) or "\0" in os.fsdecode(path):
        raise _wrong(argument, path, "a path")
    found = absolute(path)
    if os.path.isdir(found):
        raise CannotWatch("{}={!r} is a folder; name a file".format(argument, path))
    if not os.path.isdir(os.path.dirname(found)):
        raise CannotWatch("{}={!r} is in a folder that does not exist".format(argument, path))
    return found


def _seconds(hang_after: float) -> int:
    try:
        seconds = math.ceil(hang_after)
    except (OverflowError, TypeError, ValueError):
        seconds = 0
    if not 0 < seconds <= _MOST_SECONDS:
        raise _wrong("hang_after", hang_after, "a usable number of seconds")
    return seconds


def _wrong(argument: str, given: object, wanted: str) -> CannotWatch:
    return CannotWatch("{}={!r} is not {}".format(argument, given, wanted))
