//! Standard error that goes to a regular file: the program has the file itself, and its end is read there.
//!
//! What other programs write to the same file is read with it.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Seek as _};
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

use crashlens_core::Tail;
use nix::fcntl::{FcntlArg, OFlag, fcntl};

use super::tail::{self, MAX_BYTES};

/// Reports that are remembered: those before are out of reach of the tail, or the program writes next to nothing.
const MOST_REPORTS: usize = 100;

/// The file, what was in it before, and where our own reports are in it.
pub(super) struct OnDisk {
    pub(super) file: File,
    /// Where the words of the program begin.
    pub(super) start: u64,
    pub(super) reports: RefCell<Vec<Range<u64>>>,
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
            start,
            reports: RefCell::default(),
        })
    }

    /// Remembers what is written meanwhile as a report. Words of the program that come at the same time are lost to the
    /// tail, not to the file.
    pub(super) fn beside(&self, report: impl FnOnce()) {
        let before = self.length();
        report();
        let range = before.unwrap_or(0)..self.length().unwrap_or(0);
        let mut reports = self.reports.borrow_mut();
        if reports.len() < MOST_REPORTS && !range.is_empty() {
            reports.push(range);
        }
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The last lines since the program was started.
    pub(super) fn tail(&self) -> io::Result<Tail> {
        let length = self.length()?;
        // It was made shorter meanwhile: all of it is new.
        let start = Some(self.start).filter(|start| *start <= length);
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
        for report in self.reports.borrow().iter().rev() {
            let inside = |at: u64| at.saturating_sub(from).min(bytes.len() as u64) as usize;
            let range = inside(report.start)..inside(report.end);
            bytes.drain(range);
        }
        Ok(tail::last_lines(&bytes, from - start))
    }
}
