//! Unwind tables (`.eh_frame`), read lazily from the process's memory.
//!
//! gimli does the decoding; this module lets it read through [`ReadMemory`], so that finding one row
//! touches the few pages a binary search needs instead of the 50 MB of a TensorFlow library's tables.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EhFrameOffset, EhHdrTable, LittleEndian, Reader,
    ReaderOffsetId, Register, RegisterRule, UnwindContext, UnwindExpression, UnwindSection,
};

use crate::ReadMemory;
use crate::image::Image;

/// Longest string or block gimli may ask for at once; unwind tables have none this long.
const MAX_SLICE: usize = 1 << 16;
/// `.eh_frame` has no recorded end in memory; no table is larger.
const MAX_TABLE: usize = 1 << 32;

/// The entry of a function is run through up to the address, instruction by instruction. The largest in TensorFlow
/// 2.15 has 24 KB; a damaged one may have all of memory.
const MAX_ENTRY: usize = 256 << 10;

/// How to find the caller's registers at one code address.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) cfa: CfaRule<usize>,
    pub(crate) rules: Vec<(Register, RegisterRule<usize>)>,
    pub(crate) return_address: Register,
    /// The frame below a signal handler: the kernel made it, and its caller was interrupted, not calling.
    pub(crate) is_signal: bool,
    /// Where the function begins, or the part of it that the compiler put elsewhere.
    pub(crate) function: u64,
    /// Where expressions in the rules are to be read from.
    pub(crate) eh_frame: u64,
}

impl Row {
    /// The bytes of a rule's expression.
    pub(crate) fn expression<'memory>(
        &self,
        memory: &'memory dyn ReadMemory,
        expression: &UnwindExpression<usize>,
    ) -> gimli::Result<gimli::Expression<MemoryReader<'memory>>> {
        expression.get(&section(memory, self.eh_frame))
    }
}

/// Rows already looked up. Threads of a pool share most of their frames.
#[derive(Default)]
pub(crate) struct Rows(HashMap<u64, Option<Row>>);

impl Rows {
    /// The row that covers `address` in `image`, if its tables have one.
    pub(crate) fn find(
        &mut self,
        memory: &dyn ReadMemory,
        image: &Image,
        address: u64,
    ) -> Option<Row> {
        let find = || {
            image
                .eh_frame_hdr
                .and_then(|hdr| find_row(memory, image, hdr, address).ok())
        };
        self.0.entry(address).or_insert_with(find).clone()
    }
}

fn find_row(memory: &dyn ReadMemory, image: &Image, hdr: u64, address: u64) -> gimli::Result<Row> {
    let bases = BaseAddresses::default()
        .set_eh_frame_hdr(hdr)
        .set_text(image.module.start.0);
    let length = usize::try_from(image.module.end.0.saturating_sub(hdr)).unwrap_or(0);
    let header = EhFrameHdr::from(MemoryReader {
        memory,
        address: hdr,
        length,
    })
    .parse(&bases, 8)?;
    let eh_frame = match header.eh_frame_ptr() {
        gimli::Pointer::Direct(pointer) => pointer,
        gimli::Pointer::Indirect(pointer) => memory.u64(pointer).map_err(|_| gimli::Error::Io)?,
    };
    let bases = bases.set_eh_frame(eh_frame);
    let table = header.table().ok_or(gimli::Error::NoUnwindInfoForAddress)?;
    let frames = section(memory, eh_frame);
    let offset = fde_offset(&table, &bases, eh_frame, address)?;
    let fde = frames.fde_from_offset(&bases, offset, EhFrame::cie_from_offset)?;
    if !fde.contains(address) {
        return Err(gimli::Error::NoUnwindInfoForAddress);
    }
    if fde.entry_len().max(fde.cie().entry_len()) > MAX_ENTRY {
        return Err(gimli::Error::UnsupportedOffset);
    }
    let mut context = UnwindContext::new();
    let row = fde.unwind_info_for_address(&frames, &bases, &mut context, address)?;
    Ok(Row {
        cfa: row.cfa().clone(),
        rules: row.registers().cloned().collect(),
        return_address: fde.cie().return_address_register(),
        is_signal: fde.is_signal_trampoline(),
        function: fde.initial_address(),
        eh_frame,
    })
}

/// Where in the section at `eh_frame` the entry is that may cover `address`.
///
/// `EhHdrTable::fde_for_address` does the same, but counts on the table being true: it multiplies the number of
/// its entries and subtracts addresses without looking (gimli 0.33).
fn fde_offset(
    table: &EhHdrTable<'_, MemoryReader<'_>>,
    bases: &BaseAddresses,
    eh_frame: u64,
    address: u64,
) -> gimli::Result<EhFrameOffset> {
    if table
        .iter(bases)
        .size_hint()
        .1
        .is_none_or(|entries| entries > MAX_TABLE)
    {
        return Err(gimli::Error::UnsupportedOffset);
    }
    let entry = table.lookup(address, bases)?.direct()?;
    entry
        .checked_sub(eh_frame)
        .and_then(|offset| usize::try_from(offset).ok())
        .filter(|offset| *offset < MAX_TABLE)
        .map(EhFrameOffset)
        .ok_or(gimli::Error::UnsupportedOffset)
}

fn section(memory: &dyn ReadMemory, eh_frame: u64) -> EhFrame<MemoryReader<'_>> {
    let mut section = EhFrame::from(MemoryReader {
        memory,
        address: eh_frame,
        length: MAX_TABLE,
    });
    section.set_address_size(8);
    section
}

/// A range of the process's memory that gimli reads from.
#[derive(Clone)]
pub(crate) struct MemoryReader<'memory> {
    memory: &'memory dyn ReadMemory,
    address: u64,
    length: usize,
}

impl MemoryReader<'_> {
    fn copy(&self) -> gimli::Result<Vec<u8>> {
        if self.length > MAX_SLICE {
            return Err(gimli::Error::UnexpectedEof(self.offset_id()));
        }
        self.memory
            .bytes(self.address, self.length)
            .map_err(|_| gimli::Error::Io)
    }
}

impl fmt::Debug for MemoryReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes at {:#x}", self.length, self.address)
    }
}

impl Reader for MemoryReader<'_> {
    type Endian = LittleEndian;
    type Offset = usize;

    fn endian(&self) -> LittleEndian {
        LittleEndian
    }

    fn len(&self) -> usize {
        self.length
    }

    fn empty(&mut self) {
        self.length = 0;
    }

    fn truncate(&mut self, length: usize) -> gimli::Result<()> {
        if length > self.length {
            return Err(gimli::Error::UnexpectedEof(self.offset_id()));
        }
        self.length = length;
        Ok(())
    }

    fn offset_from(&self, base: &Self) -> usize {
        self.address.wrapping_sub(base.address) as usize
    }

    fn offset_id(&self) -> ReaderOffsetId {
        ReaderOffsetId(self.address)
    }

    fn lookup_offset_id(&self, id: ReaderOffsetId) -> Option<usize> {
        let offset = id.0.checked_sub(self.address)? as usize;
        (offset <= self.length).then_some(offset)
    }

    fn find(&self, byte: u8) -> gimli::Result<usize> {
        (0..self.length.min(MAX_SLICE))
            .find_map(
                |offset| match self.memory.u8(self.address.wrapping_add(offset as u64)) {
                    Ok(found) => (found == byte).then_some(Ok(offset)),
                    Err(_) => Some(Err(gimli::Error::Io)),
                },
            )
            .unwrap_or_else(|| Err(gimli::Error::UnexpectedEof(self.offset_id())))
    }

    fn skip(&mut self, length: usize) -> gimli::Result<()> {
        self.split(length).map(|_| ())
    }

    fn split(&mut self, length: usize) -> gimli::Result<Self> {
        if length > self.length {
            return Err(gimli::Error::UnexpectedEof(self.offset_id()));
        }
        let head = Self {
            memory: self.memory,
            address: self.address,
            length,
        };
        self.address = self.address.wrapping_add(length as u64);
        self.length -= length;
        Ok(head)
    }

    fn to_slice(&self) -> gimli::Result<Cow<'_, [u8]>> {
        self.copy().map(Cow::Owned)
    }

    fn to_string(&self) -> gimli::Result<Cow<'_, str>> {
        String::from_utf8(self.copy()?)
            .map(Cow::Owned)
            .map_err(|_| gimli::Error::BadUtf8)
    }

    fn to_string_lossy(&self) -> gimli::Result<Cow<'_, str>> {
        Ok(Cow::Owned(
            String::from_utf8_lossy(&self.copy()?).into_owned(),
        ))
    }

    fn read_slice(&mut self, buffer: &mut [u8]) -> gimli::Result<()> {
        let head = self.split(buffer.len())?;
        head.memory
            .read(head.address, buffer)
            .map_err(|_| gimli::Error::Io)
    }
}

#[cfg(test)]
mod tests {
    use crashlens_core::{Address, Module};

    use super::*;
    use crate::Unreadable;

    const HEADER: u64 = 0x2000;
    const CODE: u64 = 0x1800;

    /// Bytes at [`HEADER`].
    struct Table(Vec<u8>);

    impl ReadMemory for Table {
        fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
            let found = address
                .checked_sub(HEADER)
                .and_then(|start| self.0.get(start as usize..)?.get(..buffer.len()));
            buffer.copy_from_slice(found.ok_or(Unreadable { address })?);
            Ok(())
        }
    }

    /// A search table with `count` entries by its own word, all numbers in eight bytes.
    fn table(eh_frame: u64, count: u64, entry: u64) -> Table {
        let eight_bytes = 4;
        let mut bytes = vec![1, eight_bytes, eight_bytes, eight_bytes];
        for word in [eh_frame, count, CODE, entry] {
            bytes.extend(word.to_le_bytes());
        }
        Table(bytes)
    }

    fn row(memory: &Table) -> Option<Row> {
        let module = Module {
            name: "libx.so".to_owned(),
            path: "/lib/libx.so".to_owned(),
            start: Address(0x1000),
            end: Address(0x4000),
            bias: Address(0x1000),
            build_id: None,
            package: None,
        };
        let image = Image {
            module,
            eh_frame_hdr: Some(HEADER),
            dynamic: None,
        };
        Rows::default().find(memory, &image, CODE)
    }

    /// A table with one true entry: a function whose caller is found by `instructions` that do nothing.
    fn function(instructions: usize) -> Table {
        let eh_frame = HEADER + 36;
        // Version 1, no augmentation, units of 1 and -8 bytes; the return address, register 16, is at the stack
        // pointer, register 7, of the caller less 8.
        let common = [0, 0, 0, 0, 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0];
        let mut memory = table(eh_frame, 1, eh_frame + 20);
        memory.0.extend(16_u32.to_le_bytes());
        memory.0.extend(common);
        memory.0.extend((20 + instructions as u32).to_le_bytes());
        memory.0.extend(24_u32.to_le_bytes());
        memory.0.extend(CODE.to_le_bytes());
        memory.0.extend(16_u64.to_le_bytes());
        memory.0.resize(memory.0.len() + instructions, 0);
        memory
    }

    #[test]
    fn a_function_that_never_ends_is_not_run_through() {
        let found = row(&function(4)).unwrap();
        assert_eq!(found.return_address, Register(16));
        assert_eq!(found.rules, [(Register(16), RegisterRule::Offset(-8))]);
        assert!(row(&function(MAX_ENTRY)).is_none());
    }

    #[test]
    fn a_search_table_that_lies_leads_nowhere() {
        let (count, entry) = (1, 0x2100);
        assert!(row(&table(0x2100, u64::MAX, entry)).is_none());
        assert!(row(&table(0x2100, u64::MAX / 16, entry)).is_none());
        // The entry is said to be before the section it is in, or far behind it.
        assert!(row(&table(0x2100, count, 0x2000)).is_none());
        assert!(row(&table(0x2100, count, u64::MAX)).is_none());
    }
}
