//! The table of strings: TensorFlow's has eighty megabytes, so it is looked at through a window.

use memchr::memchr;

use super::ElfError;
use super::dynamic::Dynamic;
use super::layout::Layout;
use super::source::Source;

/// Longer names are left out, of what a file defines and of what it needs alike.
const WINDOW: u64 = 256 << 10;
/// Names of libraries and versions, and lists of folders.
const MAX_WORD: u64 = 16 << 10;

/// A table of strings.
#[derive(Debug)]
pub(crate) struct Strings<'a, S> {
    source: &'a S,
    offset: u64,
    size: u64,
    window: Vec<u8>,
    start: u64,
}

impl<'a, S: Source> Strings<'a, S> {
    /// Finds the table.
    pub(crate) fn find(
        source: &'a S,
        layout: &Layout,
        dynamic: &Dynamic,
    ) -> Result<Self, ElfError> {
        let place = dynamic.strings.and_then(|address| layout.place(address));
        let (offset, rest) = place.ok_or(ElfError::Malformed("it has no table of strings"))?;
        Ok(Self {
            source,
            offset,
            size: dynamic
                .strings_size
                .min(rest)
                .min(source.size().saturating_sub(offset)),
            window: Vec::new(),
            start: 0,
        })
    }

    /// The bytes of the name at a place. Cheap when the places come in order.
    pub(crate) fn name(&mut self, at: u64) -> Result<Option<&[u8]>, ElfError> {
        if let Some((from, to)) = self.within(at) {
            return Ok(self.window.get(from..to));
        }
        if at >= self.size {
            return Ok(None);
        }
        // A small table fits whole, whatever is asked for first.
        self.start = if self.size <= WINDOW { 0 } else { at };
        let size = (self.size - self.start).min(WINDOW);
        self.window.resize(size as usize, 0);
        self.source
            .fill(self.offset + self.start, &mut self.window)?;
        Ok(self
            .within(at)
            .and_then(|(from, to)| self.window.get(from..to)))
    }

    fn within(&self, at: u64) -> Option<(usize, usize)> {
        let from = usize::try_from(at.checked_sub(self.start)?).ok()?;
        let length = memchr(0, self.window.get(from..)?)?;
        Some((from, from + length))
    }

    /// A string of its own: the name of a library or of a version. The window stays where it is.
    pub(crate) fn word(&self, at: u64) -> Option<String> {
        let size = self.size.checked_sub(at)?.min(MAX_WORD);
        let mut bytes = self.source.bytes(self.offset + at, size.min(256)).ok()?;
        if memchr(0, &bytes).is_none() {
            bytes = self.source.bytes(self.offset + at, size).ok()?;
        }
        bytes.truncate(memchr(0, &bytes)?);
        String::from_utf8(bytes).ok()
    }
}
