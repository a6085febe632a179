//! Standard error that goes to a regular file: the program has the file itself, and its end is read there.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Seek as _};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

use crashlens_core::Tail;
use nix::fcntl::{FcntlArg, OFlag, fcntl};

use super::tail::{self, MAX_BYTES};

/// The file, and what was in it before.
pub(super) struct OnDisk {
    file: File,
    start: Cell<u64>,
}

impl OnDisk {
    /// `stderr` may be open for writing alone, and its name may be gone.
    pub(super) fn open(stderr: OwnedFd) -> io::Result<Self> {
        let link = format!("/proc/self/fd/{}", stderr.as_raw_fd());
        let mut stderr = File::from(stderr);
        let file = File::open(link)?;
        let flags = OFlag::from_bits_truncate(fcntl(&stderr, FcntlArg::F_GETFL)?);
        let start = if flags.contains(OFlag::O_APPEND) {
            file.metadata()?.len()
        } else {
            stderr.stream_position()?
        };
        Ok(Self {
            file,
            start: Cell::new(start),
        })
    }

    /// Takes what is in the file now for old.
    pub(super) fn pass_over(&self) {
        if let Ok(metadata) = self.file.metadata() {
            self.start.set(metadata.len());
        }
    }

    /// The last lines since the program was started.
    pub(super) fn tail(&self) -> io::Result<Tail> {
        let length = self.file.metadata()?.len();
        // It was made shorter meanwhile: all of it is new.
        let start = Some(self.start.get()).filter(|start| *start <= length);
        let start = start.unwrap_or(0);
        let from = start.max(length.saturating_sub(MAX_BYTES as u64));
        let mut bytes = vec![0; (length - from) as usize];
        let mut filled = 0;
        while filled < bytes.len() {
            match self
                .file
                .read_at(&mut bytes[filled..], from + filled as u64)
            {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(filled);
        Ok(tail::last_lines(&bytes, from - start))
    }
}
