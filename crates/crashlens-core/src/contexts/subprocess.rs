//! Python programs that another one starts by `subprocess`.

use super::in_file;
use crate::capture::PythonFrame;

pub(crate) const KIND: &str = "subprocess";

/// Whether the parent, which waits in `subprocess`, notices the death: `Some(false)` as it does not wait for ever.
pub(super) fn notices_death(frames: &[PythonFrame]) -> Option<bool> {
    frames
        .iter()
        .any(|frame| in_file(frame, "subprocess.py"))
        .then_some(false)
}
