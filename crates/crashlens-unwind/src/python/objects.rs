//! Python strings, byte strings and code objects.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::{ReadMemory, Unreadable};

use super::lines;
use super::offsets::{CodeOffsets, TextFormat, TextOffsets};

/// Longer names are cut here.
const LONGEST_TEXT: u64 = 4096;

/// Strings that claim more are not strings.
const LARGEST_LENGTH: u64 = 1 << 30;

/// Line tables that claim more are not line tables.
const LARGEST_LINE_TABLE: u64 = 1 << 20;

/// Bytes of line tables that are searched in one process: each search begins at the start.
const MOST_SEARCHED: usize = 64 << 20;

/// How Python 2 keeps `unicode`, which a build decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Python2Unicode {
    /// Address of `PyUnicode_Type`.
    pub(crate) unicode_type: u64,
    /// Bytes of a character: 2 or 4.
    pub(crate) character_size: u64,
}

/// Reads the objects that frames point to, each code object once.
pub(crate) struct ObjectReader<'a> {
    memory: &'a dyn ReadMemory,
    text: TextOffsets,
    code: CodeOffsets,
    python2: Option<Python2Unicode>,
    codes: BTreeMap<u64, Result<Rc<Code>, Unreadable>>,
    search_left: usize,
}

/// A code object, as far as stacks need it.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) file: String,
    pub(crate) function: String,
    first_line: i64,
    line_table: Vec<u8>,
}

impl<'a> ObjectReader<'a> {
    pub(crate) fn new(
        memory: &'a dyn ReadMemory,
        text: TextOffsets,
        code: CodeOffsets,
        python2: Option<Python2Unicode>,
    ) -> Self {
        Self {
            memory,
            text,
            code,
            python2,
            codes: BTreeMap::new(),
            search_left: MOST_SEARCHED,
        }
    }

    /// The code object at `address`.
    pub(crate) fn code(&mut self, address: u64) -> Result<Rc<Code>, Unreadable> {
        if let Some(known) = self.codes.get(&address) {
            return known.clone();
        }
        let code = self.read_code(address).map(Rc::new);
        self.codes.insert(address, code.clone());
        code
    }

    /// The line of the instruction that is `offset` bytes into the byte code of `code`.
    pub(crate) fn line(&mut self, code: &Code, offset: i64) -> Option<u32> {
        self.search_left = self.search_left.checked_sub(code.line_table.len())?;
        lines::line_at(
            self.code.line_format,
            &code.line_table,
            code.first_line,
            offset,
        )
    }

    fn read_code(&self, address: u64) -> Result<Code, Unreadable> {
        let pointer = |offset| self.memory.u64(at(address, offset)?);
        Ok(Code {
            file: self.read_text(pointer(self.code.filename)?)?,
            function: self.read_text(pointer(self.code.name)?)?,
            first_line: i64::from(self.memory.i32(at(address, self.code.first_line)?)?),
            // A frame without its line is better than no frame.
            line_table: pointer(self.code.line_table)
                .and_then(|table| self.read_bytes(table, LARGEST_LINE_TABLE))
                .unwrap_or_default(),
        })
    }

    /// The contents of a `bytes`, or a Python 2 `str`.
    fn read_bytes(&self, address: u64, limit: u64) -> Result<Vec<u8>, Unreadable> {
        let length = self.memory.u64(at(address, self.text.bytes_length)?)?;
        if length > limit {
            return Err(Unreadable { address });
        }
        self.memory
            .bytes(at(address, self.text.bytes_start)?, length as usize)
    }

    fn read_text(&self, address: u64) -> Result<String, Unreadable> {
        match self.text.text {
            TextFormat::Python2 {
                object_type,
                length,
                characters,
            } => {
                let kind = self.memory.u64(at(address, object_type)?)?;
                match self.python2.filter(|unicode| unicode.unicode_type == kind) {
                    Some(unicode) => {
                        let length = self.memory.u64(at(address, length)?)?;
                        let characters = self.memory.u64(at(address, characters)?)?;
                        self.read_characters(characters, length, unicode.character_size)
                    }
                    None => self
                        .read_bytes(address, LONGEST_TEXT)
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
                if !compact {
                    return Err(Unreadable { address });
                }
                let start = if ascii { ascii_start } else { other_start };
                self.read_characters(at(address, start)?, length, kind)
            }
        }
    }

    fn read_characters(&self, start: u64, length: u64, size: u64) -> Result<String, Unreadable> {
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

/// `address + offset`, where it exists.
pub(crate) fn at(address: u64, offset: u64) -> Result<u64, Unreadable> {
    // The first page is never mapped: a null pointer with an offset is refused without asking.
    if address < 4096 {
        return Err(Unreadable { address });
    }
    address.checked_add(offset).ok_or(Unreadable { address })
}

#[cfg(test)]
mod tests;
