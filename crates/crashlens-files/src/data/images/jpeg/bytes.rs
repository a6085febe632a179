//! The bytes of a JPEG file, a block at a time, and its markers.

use std::io::{self, Read, Seek, SeekFrom};

use memchr::memchr;

const BLOCK: usize = 256 * 1024;

/// A code behind `FF`, and the byte of the file where that `FF` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) code: u8,
    pub(super) at: u64,
}

/// Bytes in order; the end of the file is an error of the kind `UnexpectedEof`.
pub(super) struct Bytes<R> {
    inner: R,
    block: Vec<u8>,
    next: usize,
    /// Byte of the file where the block begins.
    base: u64,
}

impl<R: Read + Seek> Bytes<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner,
            block: Vec::new(),
            next: 0,
            base: 0,
        }
    }

    /// Byte of the file that is read next.
    pub(super) fn position(&self) -> u64 {
        self.base + self.next as u64
    }

    #[inline]
    pub(super) fn byte(&mut self) -> io::Result<u8> {
        if let Some(&byte) = self.block.get(self.next) {
            self.next += 1;
            return Ok(byte);
        }
        self.refill()?;
        self.byte()
    }

    #[cold]
    fn refill(&mut self) -> io::Result<()> {
        self.base += self.block.len() as u64;
        self.next = 0;
        self.block.resize(BLOCK, 0);
        let read = self.inner.read(&mut self.block);
        self.block.truncate(*read.as_ref().unwrap_or(&0));
        if read? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// So many bytes; the caller bounds them.
    pub(super) fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        (0..length).map(|_| self.byte()).collect()
    }

    /// Gives back the byte that was just taken.
    pub(super) fn back(&mut self) {
        self.next = self.next.saturating_sub(1);
    }

    /// Passes over so many bytes, which must be there.
    pub(super) fn skip(&mut self, length: u64, size: u64) -> io::Result<()> {
        let target = self.position() + length;
        if target > size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if target <= self.base + self.block.len() as u64 {
            self.next = (target - self.base) as usize;
        } else {
            self.inner.seek(SeekFrom::Start(target))?;
            self.block.clear();
            self.next = 0;
            self.base = target;
        }
        Ok(())
    }

    /// The next marker, wherever it is; `FF 00` is none.
    pub(super) fn find_marker(&mut self) -> io::Result<Marker> {
        loop {
            let rest = self.block.get(self.next..).unwrap_or_default();
            let Some(found) = memchr(0xFF, rest) else {
                self.refill()?;
                continue;
            };
            self.next += found + 1;
            let code = self.code()?;
            if code != 0 {
                let at = self.position() - 2;
                return Ok(Marker { code, at });
            }
        }
    }

    /// What follows an `FF`, and any more of them.
    #[inline]
    pub(super) fn code(&mut self) -> io::Result<u8> {
        loop {
            let code = self.byte()?;
            if code != 0xFF {
                return Ok(code);
            }
        }
    }
}
