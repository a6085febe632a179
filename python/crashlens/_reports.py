"""Reports of earlier deaths."""

import os
from typing import Any, Dict, Optional

from crashlens import _binary, _enable

# Far more than it takes to read some captures.
_PATIENCE_SECONDS = 30


def last_report() -> Optional[Dict[str, Any]]:
    """Return the report of the last death in this program: of a process it has started, or of an earlier run.

    Earlier runs are those with the same arguments in the same working directory. The report is made from the newest
    capture that was saved for them, by `enable()` or by `crashlens run`; its form is that of `--format json`. Returns
    None where there is none. Never raises an exception.
    """
    # `enable()` alone needs neither.
    import json
    import subprocess

    try:
        binary = _binary.find()
        if binary is None:
            return None
        command = [binary, "__last", str(os.getpid())]
        saved_in = _enable.saved_in()
        if saved_in is not None:
            command.append("--save={}".format(saved_in))
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
        report = json.loads(done.stdout) if done.returncode == 0 else None
        return report if isinstance(report, dict) else None
    except Exception:
        return None
