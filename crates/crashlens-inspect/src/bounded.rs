//! Reading files whose size, and whose kind, somebody else decides.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file. Pipes and devices are refused: opening a pipe waits for a writer, and opening a device may do
/// something to it.
pub fn open(path: &Path) -> io::Result<File> {
    refuse_unless_regular(&fs::metadata(path)?)?;
    // Between the two looks it may have become a pipe.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    refuse_unless_regular(&file.metadata()?)?;
    Ok(file)
}

fn refuse_unless_regular(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is not a regular file",
    ))
}

/// The beginning of a file, up to `limit` bytes. Works for files of `/proc`, whose size reads as zero.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same as text; bytes that are not UTF-8 are replaced.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    read(path, limit).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
