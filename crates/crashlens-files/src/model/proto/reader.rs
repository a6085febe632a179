//! A window on a file that moves forward, and jumps over what is not looked at.

use std::io;

use super::tree::Blob;
use crate::source::Source;
use crate::wire::{self, LONGEST_VARINT, Tag, WireError};

const WINDOW: usize = 128 * 1024;
/// Values up to this length are kept; longer ones stay in the file.
const LONGEST_KEPT: u64 = 4096;
/// So much of a long text is kept; all of it is checked.
const LONGEST_TEXT: usize = 4096;

pub(in crate::model) struct Reader<'a> {
    source: &'a mut Source,
    window: Vec<u8>,
    /// Place of the window's first byte.
    start: u64,
    at: u64,
}

impl<'a> Reader<'a> {
    pub(in crate::model) fn new(source: &'a mut Source) -> Self {
        Self {
            source,
            window: Vec::new(),
            start: 0,
            at: 0,
        }
    }

    pub(super) fn size(&self) -> u64 {
        self.source.size()
    }

    pub(super) fn position(&self) -> u64 {
        self.at
    }

    pub(super) fn seek(&mut self, at: u64) {
        self.at = at;
    }

    /// Up to `length` bytes from here, fewer at `end`; `length` is below that of the window.
    fn peek(&mut self, length: usize, end: u64) -> io::Result<&[u8]> {
        let left = usize::try_from(end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let length = length.min(left);
        let skip = self.at.checked_sub(self.start);
        let has =
            skip.is_some_and(|skip| skip.saturating_add(length as u64) <= self.window.len() as u64);
        if !has {
            self.window = self.source.bytes_at(self.at, WINDOW)?;
            self.start = self.at;
        }
        let skip = (self.at - self.start) as usize;
        let bytes = self.window.get(skip..).unwrap_or_default();
        if bytes.len() < length {
            // It has become shorter since it was opened.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(&bytes[..length])
    }

    pub(super) fn varint(&mut self, end: u64) -> io::Result<Result<u64, WireError>> {
        let found = wire::varint(self.peek(LONGEST_VARINT, end)?);
        Ok(found.map(|(number, length)| {
            self.at += length as u64;
            number
        }))
    }

    pub(super) fn tag(&mut self, end: u64) -> io::Result<Result<Tag, WireError>> {
        let found = wire::tag(self.peek(LONGEST_VARINT, end)?);
        Ok(found.map(|(tag, length)| {
            self.at += length as u64;
            tag
        }))
    }

    /// A value, which is only kept where it is short. The caller knows that it is in the file.
    pub(super) fn blob(&mut self, length: u64) -> io::Result<Blob> {
        let at = self.at;
        let end = at.saturating_add(length);
        let bytes = if length <= LONGEST_KEPT {
            Some(self.peek(length as usize, end)?.to_vec())
        } else {
            None
        };
        self.at = end;
        Ok(Blob {
            at,
            length,
            count: 1,
            numbers: Vec::new(),
            bytes,
        })
    }

    /// A text up to `end`, or its beginning; `None` where it is none.
    pub(super) fn text(&mut self, end: u64) -> io::Result<Option<String>> {
        let mut kept = String::new();
        while self.at < end {
            let is_last = end - self.at <= (WINDOW / 2) as u64;
            let chunk = self.peek(WINDOW / 2, end)?;
            let good = match std::str::from_utf8(chunk) {
                Ok(text) => text,
                Err(error)
                    if error.error_len().is_none() && !is_last && error.valid_up_to() > 0 =>
                {
                    // A letter goes on in the next chunk.
                    std::str::from_utf8(&chunk[..error.valid_up_to()]).unwrap_or_default()
                }
                Err(_) => return Ok(None),
            };
            let room = LONGEST_TEXT.saturating_sub(kept.len());
            kept.extend(good.chars().take(room));
            let length = good.len() as u64;
            self.at += length;
        }
        Ok(Some(kept))
    }
}
