//! WAV.

use std::io;

use crate::reading::Reading;

pub(super) fn read(_reading: &mut Reading<'_>) -> io::Result<()> {
    Ok(())
}
