//! Python strings and byte strings.

use crate::{ReadMemory, Unreadable};

use super::objects::at;
use super::offsets::{TextFormat, TextOffsets};

/// Longer strings are cut here.
pub(crate) const LONGEST_TEXT: u64 = 4096;

/// Strings that claim more are not strings.
const LARGEST_LENGTH: u64 = 1 << 30;

/// How Python 2 keeps `unicode`, which a build decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Python2Unicode {
    /// Address of `PyUnicode_Type`.
    pub(crate) unicode_type: u64,
    /// Bytes of a character: 2 or 4.
    pub(crate) character_size: u64,
}

/// Reads strings.
#[derive(Clone, Copy)]
pub(crate) struct TextReader<'a> {
    pub(crate) memory: &'a dyn ReadMemory,
    pub(crate) offsets: TextOffsets,
    pub(crate) python2: Option<Python2Unicode>,
}

impl TextReader<'_> {
    /// The contents of a `bytes`, or a Python 2 `str`.
    pub(crate) fn bytes(&self, address: u64, limit: u64) -> Result<Vec<u8>, Unreadable> {
        let length = self.memory.u64(at(address, self.offsets.bytes_length)?)?;
        if length > limit {
            return Err(Unreadable { address });
        }
        self.memory
            .bytes(at(address, self.offsets.bytes_start)?, length as usize)
    }

    /// A string, cut after [`LONGEST_TEXT`] characters.
    pub(crate) fn text(&self, address: u64) -> Result<String, Unreadable> {
        match self.offsets.text {
            TextFormat::Python2 { object_type, .. } => {
                let kind = self.memory.u64(at(address, object_type)?)?;
                match self.python2.filter(|unicode| unicode.unicode_type == kind) {
                    Some(_) => self.python2_unicode(address),
                    None => self
                        .bytes(address, LONGEST_TEXT)
                        .map(|text| String::from_utf8_lossy(&text).into_owned()),
                }
            }
            TextFormat::Compact {
                length,
                state,
                kind_shift,
                ascii_start,
                other_start,
            } => {
                let length = self.memory.u64(at(address, length)?)?;
                let state = self.memory.u32(at(address, state)?)? >> kind_shift;
                let (kind, compact, ascii) =
                    (u64::from(state & 7), state & 8 != 0, state & 16 != 0);
                let start = match (compact, ascii) {
                    (true, true) => at(address, ascii_start)?,
                    (true, false) => at(address, other_start)?,
                    // An instance of a subclass has its characters elsewhere.
                    (false, _) => self.memory.u64(at(address, other_start)?)?,
                };
                self.characters(start, length, kind)
            }
        }
    }

    /// A `unicode` of Python 2, or of a subclass of it.
    pub(crate) fn python2_unicode(&self, address: u64) -> Result<String, Unreadable> {
        let (
            TextFormat::Python2 {
                length, characters, ..
            },
            Some(unicode),
        ) = (self.offsets.text, self.python2)
        else {
            return Err(Unreadable { address });
        };
        let length = self.memory.u64(at(address, length)?)?;
        let characters = self.memory.u64(at(address, characters)?)?;
        self.characters(characters, length, unicode.character_size)
    }

    fn characters(&self, start: u64, length: u64, size: u64) -> Result<String, Unreadable> {
        if !matches!(size, 1 | 2 | 4) || length > LARGEST_LENGTH {
            return Err(Unreadable { address: start });
        }
        let kept = length.min(LONGEST_TEXT);
        let bytes = self.memory.bytes(start, (kept * size) as usize)?;
        let mut text = match size {
            1 => bytes.iter().map(|&byte| char::from(byte)).collect(),
            2 => {
                let units = bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|unit| u16::from_le_bytes(*unit));
                char::decode_utf16(units)
                    .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                    .collect()
            }
            _ => {
                let units = bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|unit| u32::from_le_bytes(*unit));
                units
                    .map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
                    .collect::<String>()
            }
        };
        if kept < length {
            text.push('…');
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests;
