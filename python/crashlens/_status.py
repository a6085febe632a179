"""What the kernel says of this process."""

from typing import NamedTuple, Optional

# The name of the program, as the kernel gives it.
PROGRAM = "crashlens"


class Tracer(NamedTuple):
    """The process that traces this one. A process has at most one."""

    pid: int
    name: str

    @property
    def is_crashlens(self) -> bool:
        """Whether it is one of ours: of `enable()`, here or in a parent, or of `crashlens run`."""
        return self.name == PROGRAM


def tracer() -> Optional[Tracer]:
    """The tracer of the calling thread, if it has one."""
    with open("/proc/thread-self/status", "rb") as status:
        for line in status:
            if line.startswith(b"TracerPid:"):
                pid = int(line.split()[1])
                return Tracer(pid, name_of(pid)) if pid else None
    return None


def name_of(pid: int) -> str:
    """The name of a process; empty where there is none."""
    try:
        with open("/proc/{}/comm".format(pid), "rb") as comm:
            return comm.read(64).decode("utf-8", "replace").rstrip("\n")
    except OSError:
        # It has just ended, or `/proc` hides the processes of other users.
        return ""
