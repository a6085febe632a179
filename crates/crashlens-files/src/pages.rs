//! Numbers at any place of a file, through a bounded number of pages.
//!
//! For formats that are a web of offsets. Never reads more at once than a page, and holds few of them, whatever the size
//! of the file.

use std::collections::HashMap;
use std::io;

use crate::source::Source;

/// Of x86-64 and of most ARM machines.
const MEMORY_PAGE: u64 = 4096;
/// Memory is given in multiples of so many bytes, of which so many may be left over.
const SLACK: u64 = 16;
const PAGE: u64 = 64 * 1024;
/// 16 MiB; the structure of nearly every file fits.
const MOST_PAGES: usize = 256;

/// The bytes of a file, a page at a time.
pub(crate) struct Pages<'a> {
    source: &'a mut Source,
    end: u64,
    held: HashMap<u64, Vec<u8>>,
}

impl<'a> Pages<'a> {
    pub(crate) fn of(source: &'a mut Source) -> Self {
        Self {
            end: source.size(),
            source,
            held: HashMap::new(),
        }
    }

    /// As a program sees the file that maps it or has it in memory of its own: zeros follow up to the end of the last
    /// page, or of what memory is given in; behind that is what belongs to others.
    pub(crate) fn held(source: &'a mut Source) -> Self {
        let mut pages = Self::of(source);
        let size = pages.end;
        pages.end = size.next_multiple_of(MEMORY_PAGE).min(size + SLACK);
        pages
    }

    /// Bytes of the file.
    pub(crate) fn size(&self) -> u64 {
        self.source.size()
    }

    /// What may be read.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// So many bytes from a place on, for values too large to be held; fewer where the file ends.
    pub(crate) fn stretch(&mut self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        self.source.bytes_at(at, length)
    }

    fn page(&mut self, number: u64) -> io::Result<&[u8]> {
        if !self.held.contains_key(&number) {
            if self.held.len() >= MOST_PAGES {
                self.held.clear();
            }
            let bytes = self.source.bytes_at(number * PAGE, PAGE as usize)?;
            self.held.insert(number, bytes);
        }
        Ok(self.held.get(&number).map_or(&[], Vec::as_slice))
    }

    /// `N` bytes; [`io::ErrorKind::UnexpectedEof`] where they are not all there.
    pub(crate) fn bytes<const N: usize>(&mut self, at: u64) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(at, &mut bytes)?;
        Ok(bytes)
    }

    /// As many bytes as `buffer` has.
    pub(crate) fn fill(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = at.checked_add(buffer.len() as u64);
        if end.is_none_or(|end| end > self.end) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut at = at;
        let mut rest = buffer;
        while !rest.is_empty() {
            let page = self.page(at / PAGE)?;
            let there = page.get((at % PAGE) as usize..).unwrap_or_default();
            let length = there.len().min(rest.len());
            if length == 0 {
                // Behind the file: zeros, where it is seen as mapped.
                rest.fill(0);
                return Ok(());
            }
            let (now, later) = rest.split_at_mut(length);
            now.copy_from_slice(there.get(..length).unwrap_or_default());
            at += length as u64;
            rest = later;
        }
        Ok(())
    }

    pub(crate) fn u8(&mut self, at: u64) -> io::Result<u8> {
        self.bytes::<1>(at).map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self, at: u64) -> io::Result<u16> {
        self.bytes(at).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self, at: u64) -> io::Result<u32> {
        self.bytes(at).map(u32::from_le_bytes)
    }

    pub(crate) fn i32(&mut self, at: u64) -> io::Result<i32> {
        self.bytes(at).map(i32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, at: u64) -> io::Result<u64> {
        self.bytes(at).map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_across_two_pages_is_read_whole() {
        let mut bytes = vec![0_u8; 2 * PAGE as usize];
        bytes[PAGE as usize - 1..PAGE as usize + 3].copy_from_slice(&[1, 2, 3, 4]);
        let mut source = Source::of_bytes(bytes);
        let mut pages = Pages::of(&mut source);
        assert_eq!(pages.u32(PAGE - 1).ok(), Some(0x0403_0201));
    }

    #[test]
    fn a_file_in_memory_ends_in_a_few_zeros() {
        let mut source = Source::of_bytes(vec![1; 10]);
        let mut pages = Pages::held(&mut source);
        assert_eq!(pages.u32(8).ok(), Some(0x0101));
        assert_eq!(pages.u32(22).ok(), Some(0));
        assert!(pages.u32(23).is_err());
        let mut source = Source::of_bytes(vec![1; 4090]);
        let mut pages = Pages::held(&mut source);
        assert!(pages.u32(4092).is_ok());
        assert!(pages.u32(4093).is_err());
    }

    #[test]
    fn what_lies_behind_the_end_is_an_error() {
        let mut source = Source::of_bytes(vec![0; 10]);
        let mut pages = Pages::of(&mut source);
        assert!(pages.u32(6).is_ok());
        for at in [7, 10, u64::MAX] {
            let error = pages.u32(at).map_err(|error| error.kind());
            assert_eq!(error, Err(io::ErrorKind::UnexpectedEof));
        }
    }
}
