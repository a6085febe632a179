//! What the program was busy with, told from its Python frames.

use crate::capture::{CrashCapture, Phase};

/// The phase; `None` for a process without Python.
pub(crate) fn of(_capture: &CrashCapture) -> Option<Phase> {
    None
}
