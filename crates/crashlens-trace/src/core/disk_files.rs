//! The program's files by their paths, on this machine or in a copy of the machine it ran on.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};

use crashlens_unwind::{FileBytes, Files};

/// Files on disk: regular ones only, since a path in a core may name a device.
#[derive(Debug, Clone, Default)]
pub struct DiskFiles {
    sysroot: Option<PathBuf>,
}

impl DiskFiles {
    /// The program's files below `sysroot`, for example an unpacked container image.
    pub fn below(sysroot: impl Into<PathBuf>) -> Self {
        Self {
            sysroot: Some(sysroot.into()),
        }
    }

    fn place(&self, path: &Path) -> io::Result<PathBuf> {
        // The kernel writes absolute paths without `..`; anything else was put there by someone.
        let plain =
            path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
        if !plain {
            return Err(io::Error::other("not an absolute path"));
        }
        Ok(match &self.sysroot {
            Some(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_owned(),
        })
    }
}

impl Files for DiskFiles {
    fn open(&self, path: &str) -> io::Result<FileBytes> {
        super::map(&open_regular(&self.place(Path::new(path))?)?)
    }
}

/// Opens a regular file.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    // Asked first, because opening alone makes some devices act (a tape rewinds, a watchdog starts).
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    // A FIFO put there in between must not make us wait for a writer.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("not a regular file"))
    }
}
