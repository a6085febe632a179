//! Reading files whose size somebody else decides.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The beginning of a file, up to `limit` bytes. Works for files of `/proc`, whose size reads as zero.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same as text; bytes that are not UTF-8 are replaced.
pub(crate) fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    read(path, limit).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
