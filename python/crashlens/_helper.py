"""Starts the process that watches this one.

The program is `crashlens attach --detach`. It goes on in a process that is not our child, in a session of its own and with
no descriptor of ours. What is started here only waits until that process is ready, and ends.
"""

import contextlib
import fcntl
import functools
import os
import select
import signal
import time
from typing import Dict, Iterator, List, Optional, Tuple, Type

from crashlens._status import PROGRAM, name_of, tracer

# Far more than it takes: 5 ms, or some more under load.
_PATIENCE_MILLISECONDS = 10_000
# How long until a helper that is asked to end has gone.
_PATIENCE_SECONDS = 5.0
# Between looks at a child that has kept its streams open, as a process that another thread forked meanwhile does.
_PAUSE_MILLISECONDS = 20

_PR_SET_PTRACER = 0x59616D61
_YAMA = "/proc/sys/kernel/yama/ptrace_scope"

# Those that a program may ignore and a helper needs.
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD, signal.SIGXFSZ)


class CannotWatch(Exception):
    """Says why in one line."""


def start(binary: str, options: List[str]) -> Optional[int]:
    """Have this process watched. Returns the process that does."""
    if os.readlink("/proc/self") != str(os.getpid()):
        raise CannotWatch("/proc is that of another PID namespace")
    command = [binary, "attach", "--detach", "--ask", *options, str(os.getpid())]
    with contextlib.ExitStack() as stack:
        asked, answer = _pipe(stack)
        number, number_end = _pipe(stack)
        errors, errors_end = _pipe(stack)
        actions: List[Tuple[int, int, int]] = [
            (os.POSIX_SPAWN_DUP2, asked.fd, 0),
            (os.POSIX_SPAWN_DUP2, number_end.fd, 1),
            (os.POSIX_SPAWN_DUP2, errors_end.fd, 2),
        ]
        launcher = stack.enter_context(_unnoticed())
        pid = os.posix_spawn(
            binary,
            command,
            _environment(),
            file_actions=actions,
            setsigmask=[],
            setsigdef=_SIGNALS,
        )
        launcher.started(pid)
        number_end.close()
        errors_end.close()
        helper = _read_number(number.fd)
        if helper is not None:
            stack.push(functools.partial(_end_after_failure, helper))
            _allow(helper)
            # We have the other end open too, so that this is no broken pipe, whatever has happened to the helper.
            os.write(answer.fd, b"\n")
        answer.close()
        said = launcher.wait(errors.fd)
        if launcher.has_failed or helper is None:
            lines = said.decode("utf-8", "replace").splitlines()
            message = lines[0] if lines else "the crashlens program ended without a word"
            raise CannotWatch(message.replace("crashlens: ", "", 1))
        return helper


def stop(helper: int) -> None:
    """End a helper, and wait until it has let this process go."""
    os.kill(helper, signal.SIGTERM)
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while is_traced_by(helper) and time.monotonic() < deadline:
        time.sleep(0.001)


def is_traced_by(helper: int) -> bool:
    """Whether this process is watched by this one."""
    found = tracer()
    return found is not None and found.pid == helper


def _end_after_failure(helper: int, failure: Optional[Type[BaseException]], *_: object) -> None:
    """A helper that nobody knows of would watch until the end."""
    if failure is not None and name_of(helper) == PROGRAM:
        with contextlib.suppress(OSError):
            stop(helper)


class _Descriptor:
    def __init__(self, fd: int) -> None:
        # Numbers up to 2 are free in programs that have closed their standard streams, and would be in the way.
        self.fd = fd
        if fd <= 2:
            self.fd = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
            os.close(fd)

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def _pipe(stack: contextlib.ExitStack) -> Tuple[_Descriptor, _Descriptor]:
    ends = [_Descriptor(fd) for fd in os.pipe()]
    for end in ends:
        stack.callback(end.close)
    return ends[0], ends[1]


def _environment() -> Dict[bytes, bytes]:
    """Ours, without what is meant to change this program and not others."""
    ours = {b"LD_PRELOAD", b"LD_AUDIT", b"CRASHLENS"}
    return {name: value for name, value in os.environb.items() if name not in ours}


def _is_ready(fd: int, milliseconds: int) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(milliseconds))


def _read_number(fd: int) -> Optional[int]:
    if not _is_ready(fd, _PATIENCE_MILLISECONDS):
        return None
    line = os.read(fd, 32)
    return int(line) if line.strip().isdigit() else None


def _allow(helper: int) -> None:
    """Let it trace us where Yama wants us to name it: it is not our parent."""
    try:
        with open(_YAMA, "rb") as scope:
            if scope.read(1) != b"1":
                return
        import ctypes

        number = ctypes.c_ulong
        prctl = ctypes.CDLL(None).prctl
        prctl(ctypes.c_int(_PR_SET_PTRACER), number(helper), number(0), number(0), number(0))
    except (OSError, ImportError, AttributeError):
        # Without Yama there is no such file. Where there is no prctl, the helper says that it may not.
        pass


class _Launcher:
    """Our child, for some milliseconds."""

    def __init__(self) -> None:
        self.pid = 0
        self.is_running = False
        self.status: Optional[int] = None

    def started(self, pid: int) -> None:
        self.pid = pid
        self.is_running = True

    def wait(self, errors: int) -> bytes:
        """Wait for its end, and return what it says before."""
        said = b""
        is_open = True
        for _ in range(_PATIENCE_MILLISECONDS // _PAUSE_MILLISECONDS):
            # It ends when it has said everything: what is there then is all there is.
            self.reap(os.WNOHANG if is_open else 0)
            pause = _PAUSE_MILLISECONDS if self.is_running else 0
            if is_open and _is_ready(errors, pause):
                part = os.read(errors, 4096)
                is_open = bool(part)
                said += part
            elif not self.is_running:
                return said
        raise CannotWatch("the crashlens program does not answer")

    def reap(self, flags: int) -> None:
        try:
            pid, status = os.waitpid(self.pid, flags)
        except ChildProcessError:
            # The program ignores SIGCHLD, or waits for any child in another thread.
            self.is_running = False
            return
        if pid:
            self.is_running = False
            self.status = status

    @property
    def has_failed(self) -> bool:
        return self.status != 0 if self.status is not None else tracer() is None


@contextlib.contextmanager
def _unnoticed() -> Iterator[_Launcher]:
    """Keep the end of our child from the program: its handler of SIGCHLD is for its own children.

    A signal that goes to another thread is not seen here, and the program may see it.
    """
    launcher = _Launcher()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    try:
        yield launcher
    finally:
        if launcher.is_running:
            os.kill(launcher.pid, signal.SIGKILL)
            launcher.reap(0)
        taken = signal.sigtimedwait([signal.SIGCHLD], 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        # One signal may stand for several children.
        if taken is not None and (taken.si_pid != launcher.pid or _has_news_of_children()):
            os.kill(os.getpid(), signal.SIGCHLD)


def _has_news_of_children() -> bool:
    news = os.WEXITED | os.WSTOPPED | os.WCONTINUED
    try:
        return os.waitid(os.P_ALL, 0, news | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return False
