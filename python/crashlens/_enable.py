"""`enable()`, `disable()`, `is_enabled()`."""

import os
import signal
import sys
import threading
from typing import Callable, Optional, TypeVar

from crashlens import _binary
from crashlens._helper import CannotWatch, is_traced_by, start, stop
from crashlens._options import File, Save, absolute, options
from crashlens._status import tracer

_T = TypeVar("_T")


class _State:
    """What this process has done. A process that is forked has done nothing yet."""

    def __init__(self, file: File = None, saved_in: Optional[str] = None) -> None:
        self.lock = threading.RLock()
        # A handler of a signal may call us while we are at work in the same thread.
        self.is_busy = False
        self.helper: Optional[int] = None
        self.has_faulthandler = False
        # Kept open: the program may have no other reference to it.
        self.file = file
        self.saved_in = saved_in


_state = _State()


def _forget() -> None:
    global _state
    _state = _State(_state.file, _state.saved_in)


os.register_at_fork(after_in_child=_forget)


def enable(
    file: File = None,
    save: Save = None,
    on_death: Optional[str] = None,
    hang_after: Optional[float] = None,
) -> bool:
    """Watch this process and everything it starts, and report when one of them dies in native code.

    Reports go to standard error while the dying process is still there. A second call does nothing, nor does one in a
    process that is watched already, as a child of a watched one is.

    file: a path that the report is written to instead, or an open file or its descriptor.
    save: a path for the capture of a death, or False to save none.
    on_death: a shell command that is run at every death.
    hang_after: seconds without progress after which all stacks are reported.

    Returns whether the process is watched. If it cannot be, says why in one line on standard error and enables
    `faulthandler` instead. Never raises an exception.
    """
    with _state.lock:
        if _state.is_busy:
            return is_enabled()
        _state.is_busy = True
        try:
            return _undisturbed(lambda: _enable(file, save, on_death, hang_after))
        finally:
            _state.is_busy = False


def _enable(file: File, save: Save, on_death: Optional[str], hang_after: Optional[float]) -> bool:
    try:
        if not is_enabled():
            _state.helper = start(_program(), options(file, save, on_death, hang_after))
            _state.file = file
            _state.saved_in = None if save is None or isinstance(save, bool) else absolute(save)
        return True
    except CannotWatch as reason:
        _do_without(str(reason))
    except Exception as error:
        _do_without("{}: {}".format(type(error).__name__, error))
    return False


def disable() -> None:
    """Stop watching, for example to let a debugger in. Does nothing where `enable()` in this process has not begun it."""
    with _state.lock:
        _undisturbed(_disable)


def _disable() -> None:
    try:
        if _state.has_faulthandler:
            import faulthandler

            faulthandler.disable()
            _state.has_faulthandler = False
        helper, _state.helper = _state.helper, None
        if helper is not None and is_traced_by(helper):
            stop(helper)
        if not is_enabled():
            _state.file = None
    except Exception as error:
        _say("cannot stop watching this process: {}".format(error))


def _undisturbed(work: Callable[[], _T]) -> _T:
    """Work while the program's handlers of signals wait: what they raise is for the program, and not to be caught by us.

    A handler may still run if the signal goes to another thread.
    """
    # Handlers that are due run at these calls, and may raise.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    try:
        handled = (it for it in signal.valid_signals() if callable(signal.getsignal(it)))
        signal.pthread_sigmask(signal.SIG_BLOCK, list(handled))
        return work()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def is_enabled() -> bool:
    """Whether crashlens watches this process, by `enable()` here or in a parent, or by `crashlens run`."""
    try:
        found = tracer()
    except (OSError, ValueError):
        return False
    return found is not None and found.is_crashlens


def saved_in() -> Optional[str]:
    """The path that `enable()` was given for captures."""
    return _state.saved_in


def _program() -> str:
    if not sys.platform.startswith("linux"):
        raise CannotWatch("crashlens works on Linux only")
    binary = _binary.find()
    if binary is None:
        raise CannotWatch("the crashlens program is missing; install the package again")
    return binary


def _do_without(reason: str) -> None:
    """Say why the process is not watched, and have the interpreter print Python stacks at least."""
    instead = ""
    try:
        # Not at the top: some interpreters inside another cannot load it.
        import faulthandler

        # Only where standard error is what it was: another file may have its number by now.
        if not faulthandler.is_enabled() and sys.__stderr__ is not None:
            faulthandler.enable(sys.__stderr__.fileno())
            _state.has_faulthandler = True
            instead = "; faulthandler is enabled instead"
    except (AttributeError, ImportError, OSError, RuntimeError, ValueError):
        pass
    _say("cannot watch this process: {}{}".format(reason, instead))


def _say(line: str) -> None:
    try:
        # One line, whatever an error has to say.
        print("crashlens: {}".format(" ".join(line.split())), file=sys.stderr)
    except Exception:
        # Standard error may be closed, or anything that the program has put in its place.
        pass
