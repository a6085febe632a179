//! What the process, its libraries and the interpreter said about the end.

use crate::capture::{CrashCapture, Message};

/// The messages in what is known of the process, in the order they were written.
pub(crate) fn of(_capture: &CrashCapture) -> Vec<Message> {
    Vec::new()
}
