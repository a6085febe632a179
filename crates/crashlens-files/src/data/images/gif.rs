//! PNG.
use crate::reading::Reading;
use std::io;
pub(super) fn read(_reading: &mut Reading<'_>) -> io::Result<()> {
    Ok(())
}
