//! JPEG, PNG, GIF, BMP, WebP.

use std::io;

use crashlens_core::files::Format;

use crate::reading::Reading;

pub(super) fn read(_reading: &mut Reading<'_>, _format: Format) -> io::Result<()> {
    Ok(())
}
