//! The bytes of one file, wherever they are kept.

use std::io::{self, Read, Seek, SeekFrom};
use std::time::Instant;

/// Bytes that can be read at any place: a local file, an object in a store, a slice in a test.
pub trait ReadAt: Send {
    /// Reads up to `buffer.len()` bytes at `offset`; 0 means the end.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Reads must not wait longer than this; nothing to do where they do not wait.
    fn set_deadline(&mut self, _deadline: Instant) {}
}

impl ReadAt for Vec<u8> {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.get(start..).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }
}

/// A file being read. After its deadline every read fails, so that no reader goes on for ever.
pub struct Source {
    inner: Box<dyn ReadAt>,
    size: u64,
    position: u64,
    deadline: Option<Instant>,
}

impl Source {
    /// Of so many bytes.
    pub fn new(inner: impl ReadAt + 'static, size: u64) -> Self {
        Self {
            inner: Box::new(inner),
            size,
            position: 0,
            deadline: None,
        }
    }

    /// Of bytes in memory.
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        let size = bytes.len() as u64;
        Self::new(bytes, size)
    }

    /// With a time after which every read fails.
    #[must_use]
    pub fn until(mut self, deadline: Instant) -> Self {
        self.set_deadline(deadline);
        self
    }

    /// The same for a source that stays where it is.
    pub(crate) fn set_deadline(&mut self, deadline: Instant) {
        self.deadline = Some(deadline);
        self.inner.set_deadline(deadline);
    }

    /// Its bytes when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where the next read begins.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Bytes from there to the end.
    pub fn left(&self) -> u64 {
        self.size.saturating_sub(self.position)
    }

    /// So many bytes from a place, or as many as there are. The caller bounds `length`.
    pub fn bytes_at(&mut self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let there = self.size.saturating_sub(offset);
        let length = length.min(usize::try_from(there).unwrap_or(usize::MAX));
        self.position = offset;
        let mut bytes = Vec::new();
        self.take(length as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() > deadline)
        {
            return Err(io::ErrorKind::TimedOut.into());
        }
        // A file that grows meanwhile is read as it was when it was opened.
        let most = usize::try_from(self.left()).unwrap_or(usize::MAX);
        let most = most.min(buffer.len());
        let read = self.inner.read_at(&mut buffer[..most], self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => self.size.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
