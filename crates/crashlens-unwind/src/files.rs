//! Files that belong to the process: modules, debug files, Python sources.

use std::io;
use std::sync::Arc;

/// Contents of a file, usually a memory map.
pub type FileBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Opens files by the path the observed process saw.
///
/// The only door to the file system in this crate, so that stacks can be read on a machine that has
/// none of the program's files.
pub trait Files {
    /// The contents of `path`.
    fn open(&self, path: &str) -> io::Result<FileBytes>;
}

/// No files at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn open(&self, _: &str) -> io::Result<FileBytes> {
        Err(io::ErrorKind::NotFound.into())
    }
}
