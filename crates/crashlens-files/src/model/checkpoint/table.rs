//! The sorted table that the index of a checkpoint is: footer, blocks, keys and values.
//!
//! Knows nothing of tensors. What TensorFlow does not look at (the block of meta entries) is not looked at here either.
//!
//! Not the `sstable` or `rusty-leveldb` crate: they do not say at which byte a table is damaged. Blocks are unpacked by `snap`.

mod block;

use std::io;

use crashlens_core::files::FlawKind;

use self::block::{Block, lost};
use crate::model::crc;
use crate::source::Source;
use crate::wire;

const FOOTER: u64 = 48;
const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
/// Type and checksum behind every block.
const TRAILER: u64 = 5;

/// Something wrong with the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: FlawKind,
    pub(super) part: &'static str,
    pub(super) at: u64,
    pub(super) detail: String,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) key: Vec<u8>,
    pub(super) value: Vec<u8>,
    /// Byte of the file where its block begins.
    pub(super) at: u64,
}

/// What a table holds, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    pub(super) faults: Vec<Fault>,
}

#[derive(Debug, Clone, Copy)]
struct Handle {
    offset: u64,
    size: u64,
}

fn fault(kind: FlawKind, part: &'static str, at: u64, detail: impl Into<String>) -> Fault {
    Fault {
        kind,
        part,
        at,
        detail: detail.into(),
    }
}

/// Reads all of it; at most `memory` bytes are kept.
pub(super) fn read(source: &mut Source, memory: u64) -> io::Result<Table> {
    let mut table = Table::default();
    let index = match footer(source)? {
        Ok(index) => index,
        Err(fault) => {
            table.faults.push(fault);
            return Ok(table);
        }
    };
    let mut budget = memory;
    let handles = match block(source, index, "the block of blocks", memory)? {
        Ok(bytes) => Block::read(&bytes, index.offset, &mut budget, &mut table.faults),
        Err(fault) => {
            table.faults.push(fault);
            return Ok(table);
        }
    };
    let mut blocks = Vec::new();
    for row in &handles.rows {
        let Some(handle) = handle(&row.value).map(|(handle, _)| handle) else {
            table.faults.push(fault(
                FlawKind::Malformed,
                "the block of blocks",
                index.offset,
                "an entry does not say where its block is",
            ));
            continue;
        };
        match block(source, handle, "a block of entries", memory)? {
            Ok(bytes) => {
                let block = Block::read(&bytes, handle.offset, &mut budget, &mut table.faults);
                blocks.push(block);
            }
            Err(fault) => table.faults.push(fault),
        }
        if budget == 0 {
            break;
        }
    }
    if table.faults.is_empty()
        && let Some(detail) = lost(&handles, &blocks)
    {
        let fault = fault(
            FlawKind::Malformed,
            "the block of blocks",
            index.offset,
            detail,
        );
        table.faults.push(fault);
    }
    let rows = blocks.into_iter().flat_map(|block| block.rows);
    table.rows.extend(rows);
    Ok(table)
}

/// Where the block of blocks is, by the last bytes.
fn footer(source: &mut Source) -> io::Result<Result<Handle, Fault>> {
    let size = source.size();
    let Some(at) = size.checked_sub(FOOTER) else {
        let detail = format!("it has {size} bytes; its last part alone has {FOOTER}");
        return Ok(Err(fault(
            FlawKind::CutShort,
            "the end of the index",
            0,
            detail,
        )));
    };
    let bytes = source.bytes_at(at, FOOTER as usize)?;
    let magic = bytes.last_chunk().map(|magic| u64::from_le_bytes(*magic));
    if magic != Some(MAGIC) {
        return Ok(Err(fault(
            FlawKind::CutShort,
            "the end of the index",
            size - 8,
            "the number that ends every index is not there: it was cut or overwritten",
        )));
    }
    let both = handle(&bytes).and_then(|(_, rest)| handle(rest));
    Ok(both.map(|(index, _)| index).ok_or_else(|| {
        fault(
            FlawKind::Malformed,
            "the end of the index",
            at,
            "it does not say where the blocks are",
        )
    }))
}

fn handle(bytes: &[u8]) -> Option<(Handle, &[u8])> {
    let (offset, length) = wire::varint(bytes).ok()?;
    let rest = bytes.get(length..)?;
    let (size, length) = wire::varint(rest).ok()?;
    Some((Handle { offset, size }, rest.get(length..)?))
}

/// The bytes of a block, unpacked; its checksum is right.
fn block(
    source: &mut Source,
    handle: Handle,
    part: &'static str,
    memory: u64,
) -> io::Result<Result<Vec<u8>, Fault>> {
    let Handle { offset, size } = handle;
    let end = offset
        .checked_add(size)
        .and_then(|end| end.checked_add(TRAILER));
    if end.is_none_or(|end| end > source.size()) {
        // The footer has no checksum: a flipped bit may make this length anything.
        let kind = if size > source.size() {
            FlawKind::WildLength
        } else {
            FlawKind::CutShort
        };
        let of = source.size();
        let detail =
            format!("it is said to have {size} bytes at byte {offset}, and the file has {of}");
        return Ok(Err(fault(kind, part, offset, detail)));
    }
    if size > memory {
        let detail = format!("it has {size} bytes");
        return Ok(Err(fault(FlawKind::TooLarge, part, offset, detail)));
    }
    let mut bytes = source.bytes_at(offset, (size + TRAILER) as usize)?;
    let Some((checked, stored)) = bytes.split_last_chunk() else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    let actual = crc::masked(checked);
    let stored = u32::from_le_bytes(*stored);
    if actual != stored {
        let detail = format!("its checksum is {actual:08x}, and {stored:08x} is stored");
        return Ok(Err(fault(FlawKind::ChecksumMismatch, part, offset, detail)));
    }
    let packing = checked.last().copied();
    bytes.truncate(size as usize);
    Ok(match packing {
        Some(0) => Ok(bytes),
        Some(1) => unpack(&bytes, part, offset, memory),
        _ => {
            let detail = "it is packed in a way that is not known";
            Err(fault(FlawKind::Malformed, part, offset, detail))
        }
    })
}

fn unpack(bytes: &[u8], part: &'static str, at: u64, memory: u64) -> Result<Vec<u8>, Fault> {
    let broken = || fault(FlawKind::Malformed, part, at, "it cannot be unpacked");
    let length = snap::raw::decompress_len(bytes).map_err(|_| broken())?;
    if length as u64 > memory {
        let detail = format!("it becomes {length} bytes when it is unpacked");
        return Err(fault(FlawKind::TooLarge, part, at, detail));
    }
    let mut decoder = snap::raw::Decoder::new();
    decoder.decompress_vec(bytes).map_err(|_| broken())
}
