//! Bytes at places: a file that is read where it is wanted, or bytes in memory.
//!
//! Nothing is mapped: a file of somebody else's may shrink while it is looked at, and a mapping would then kill.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use object::pod::{self, Pod};

use super::ElfError;

/// Bytes that can be read at any place.
pub(crate) trait Source {
    /// How many there are.
    fn size(&self) -> u64;
    /// Fills the buffer from the place on, or fails.
    fn fill(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// `size` bytes from the place on.
    fn bytes(&self, offset: u64, size: u64) -> Result<Vec<u8>, ElfError> {
        let end = offset.checked_add(size);
        if end.is_none_or(|end| end > self.size()) {
            return Err(ElfError::Malformed("something lies beyond its end"));
        }
        let mut bytes = vec![0; size as usize];
        self.fill(offset, &mut bytes)?;
        Ok(bytes)
    }
}

/// A file with the size that it had when it was opened.
#[derive(Debug)]
pub(crate) struct OpenFile<'a> {
    pub(crate) file: &'a File,
    pub(crate) size: u64,
}

impl Source for OpenFile<'_> {
    fn size(&self) -> u64 {
        self.size
    }

    fn fill(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}

impl Source for &[u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn fill(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(offset).ok().and_then(|at| self.get(at..));
        let wanted = from.and_then(|rest| rest.get(..buffer.len()));
        let wanted = wanted.ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(wanted);
        Ok(())
    }
}

/// The records of one kind at the beginning of some bytes, as many as are whole.
pub(crate) fn records<T: Pod>(bytes: &[u8]) -> &[T] {
    let count = bytes.len() / size_of::<T>().max(1);
    pod::slice_from_bytes(bytes, count).map_or(&[], |(records, _)| records)
}

/// The record at a place in some bytes.
pub(crate) fn record_at<T: Pod>(bytes: &[u8], at: usize) -> Option<&T> {
    let (record, _) = pod::from_bytes(bytes.get(at..)?).ok()?;
    Some(record)
}
