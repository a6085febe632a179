//! Memory of a process that left a core.

use std::io;

use crashlens_core::Gaps;

use super::CoreFile;
use super::modules::Modules;
use crate::{FileBytes, Files, ReadMemory, Unreadable};

/// Memory of a process that left a core.
///
/// Bytes come from the core. Code and constants, which Linux leaves out, come from the module's
/// file, once it is known to be the file the process had mapped. Everything else that the core does
/// not hold is unreadable: it is never made up, not as zeros either.
///
/// It also opens files by their paths, and refuses those of modules that are not the core's.
pub struct CoreMemory<'a> {
    core: &'a CoreFile,
    modules: Modules<'a>,
}

impl<'a> CoreMemory<'a> {
    pub(super) fn new(core: &'a CoreFile, files: &'a dyn Files) -> Self {
        Self {
            core,
            modules: Modules::new(core, files),
        }
    }

    /// Modules whose files were needed and could not be used, or not with certainty, so far.
    pub fn gaps(&self) -> Gaps {
        self.modules.gaps()
    }

    /// Copies what one source has at `address`; `None` when that is nothing.
    fn copy(&self, address: u64, buffer: &mut [u8]) -> Option<usize> {
        let segment = self.core.segments.at(address);
        let dumped = segment.and_then(|segment| segment.bytes_from(self.core.bytes(), address));
        if let Some(bytes) = dumped {
            return Some(copy_prefix(bytes, buffer));
        }
        let range = self.core.notes.files.at(address)?;
        let file = self.modules.stand_in(range.path)?;
        let bytes = file.bytes_from(range, segment.map(|segment| segment.access), address)?;
        let end = match segment {
            Some(segment) => segment.end,
            None => self.core.segments.next_start(address).unwrap_or(range.end),
        };
        let length = usize::try_from(end.min(range.end) - address).unwrap_or(usize::MAX);
        Some(copy_prefix(&bytes[..length.min(bytes.len())], buffer))
    }
}

fn copy_prefix(bytes: &[u8], buffer: &mut [u8]) -> usize {
    let length = bytes.len().min(buffer.len());
    buffer[..length].copy_from_slice(&bytes[..length]);
    length
}

impl ReadMemory for CoreMemory<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let mut done = 0;
        while done < buffer.len() {
            let at = address
                .checked_add(done as u64)
                .ok_or(Unreadable { address: u64::MAX })?;
            done += self
                .copy(at, &mut buffer[done..])
                .ok_or(Unreadable { address: at })?;
        }
        Ok(())
    }
}

impl Files for CoreMemory<'_> {
    fn open(&self, path: &str) -> io::Result<FileBytes> {
        self.modules.open(path)
    }
}
