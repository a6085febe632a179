"""Says why a Python process died in native code, where, and what to do.

    import crashlens
    crashlens.enable()
"""

from crashlens._enable import disable, enable, is_enabled
from crashlens._reports import last_report

__all__ = ["disable", "enable", "is_enabled", "last_report"]
