"""`enable()`, `disable()`, `is_enabled()`."""

import faulthandler
import os
import signal
import sys
import threading
import time
from typing import Optional

from crashlens import _binary
from crashlens._helper import CannotWatch, start
from crashlens._options import File, Save, absolute, options
from crashlens._status import tracer

# How long `disable()` waits until the helper has gone.
_PATIENCE_SECONDS = 5.0


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
            if not is_enabled():
                _state.helper = start(_program(), options(file, save, on_death, hang_after))
                _state.file = file
                _state.saved_in = None if save is None or isinstance(save, bool) else absolute(save)
            return True
        except CannotWatch as reason:
            _do_without(str(reason))
        except Exception as error:
            _do_without(" ".join("{}: {}".format(type(error).__name__, error).split()))
        finally:
            _state.is_busy = False
        return False


def disable() -> None:
    """Stop watching, for example to let a debugger in. Does nothing where `enable()` in this process has not begun it."""
    with _state.lock:
        try:
            if _state.has_faulthandler:
                faulthandler.disable()
                _state.has_faulthandler = False
            helper, _state.helper = _state.helper, None
            if helper is not None and _is_traced_by(helper):
                os.kill(helper, signal.SIGTERM)
                deadline = time.monotonic() + _PATIENCE_SECONDS
                while _is_traced_by(helper) and time.monotonic() < deadline:
                    time.sleep(0.001)
            if not is_enabled():
                _state.file = None
        except Exception as error:
            _say("cannot stop watching this process: {}".format(error))


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


def _is_traced_by(helper: int) -> bool:
    found = tracer()
    return found is not None and found.pid == helper


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
        # Only where standard error is what it was: another file may have its number by now.
        if not faulthandler.is_enabled() and sys.__stderr__ is not None:
            faulthandler.enable(sys.__stderr__.fileno())
            _state.has_faulthandler = True
            instead = "; faulthandler is enabled instead"
    except (AttributeError, OSError, RuntimeError, ValueError):
        pass
    _say("cannot watch this process: {}{}".format(reason, instead))


def _say(line: str) -> None:
    try:
        print("crashlens: {}".format(line), file=sys.stderr)
    except Exception:
        # Standard error may be closed, or anything that the program has put in its place.
        pass
