//! Code objects.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::{ReadMemory, Unreadable};

use super::lines;
use super::offsets::CodeOffsets;
use super::texts::TextReader;

/// Line tables that claim more are not line tables.
const LARGEST_LINE_TABLE: u64 = 1 << 20;

/// Bytes of line tables that are searched in one process: each search begins at the start.
const MOST_SEARCHED: usize = 64 << 20;

/// Reads the objects that frames point to, each code object once.
pub(crate) struct ObjectReader<'a> {
    memory: &'a dyn ReadMemory,
    texts: TextReader<'a>,
    code: CodeOffsets,
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
        texts: TextReader<'a>,
        code: CodeOffsets,
    ) -> Self {
        Self {
            memory,
            texts,
            code,
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
            file: self.texts.text(pointer(self.code.filename)?)?,
            function: self.texts.text(pointer(self.code.name)?)?,
            first_line: i64::from(self.memory.i32(at(address, self.code.first_line)?)?),
            // A frame without its line is better than no frame.
            line_table: pointer(self.code.line_table)
                .and_then(|table| self.texts.bytes(table, LARGEST_LINE_TABLE))
                .unwrap_or_default(),
        })
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
