//! Joins a process that runs already.

use crashlens_core::CaptureFile;

use crate::error::SuperviseError;
use crate::outcome::{Attached, Observer, Options};

/// Supervises a running process and everything below it until it ends or Ctrl-C.
pub fn attach(
    pid: u32,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Attached, SuperviseError> {
    let _ = (pid, options, observer);
    Err(SuperviseError::Unsupported)
}

/// Stops a process for a moment and reads all its stacks.
pub fn look_at(pid: u32) -> Result<CaptureFile, SuperviseError> {
    let _ = pid;
    Err(SuperviseError::Unsupported)
}
