//! Fractal heaps: where groups with many members keep their links, and objects with many attributes those.

use super::checksum::lookup3;
use super::message::Cursor;
use super::tree::{DEEPEST, Hdf5, NOWHERE, inside, too_many};
use crate::fault::{Fault, Stop};
use crashlens_core::files::{FlawKind, NamedPart};

/// Bytes of the head of a heap without filters.
const HEADER: u64 = 146;
/// Bytes of a block, and blocks of a heap.
const LARGEST_BLOCK: u64 = 16 << 20;
const MOST_BLOCKS: usize = 100_000;
const WITH_SUMS: u8 = 2;

/// A heap: its blocks of objects, in the order of the offsets that they begin at.
#[derive(Debug, Default)]
pub(super) struct FractalHeap {
    blocks: Vec<Block>,
    /// Bytes of an offset and of a length in what names an object.
    widths: [usize; 2],
}

#[derive(Debug, Clone, Copy)]
struct Block {
    offset: u64,
    size: u64,
    at: u64,
}

/// What the head says of the blocks.
struct Form {
    has_sums: bool,
    /// Bytes of an offset.
    width: u64,
    columns: u64,
    first: u64,
    /// Rows of blocks of objects; those of blocks of blocks follow.
    direct_rows: u64,
}

impl Form {
    /// Bytes of each block of a row: the first two rows are alike, then they double.
    fn size(&self, row: u64) -> Option<u64> {
        let times = 1_u64.checked_shl(u32::try_from(row.saturating_sub(1)).ok()?)?;
        self.first.checked_mul(times)
    }

    /// Rows of a block of blocks that stands for so many bytes.
    fn rows(&self, size: u64) -> Option<u64> {
        let smallest = self.first.checked_mul(self.columns)?.checked_ilog2()?;
        Some(u64::from(size.checked_ilog2()?.checked_sub(smallest)?) + 1)
    }
}

impl FractalHeap {
    /// Where an object is; `None` for one that is not among the blocks, or kept in another way.
    pub(super) fn find(&self, id: &[u8]) -> Option<(u64, u64)> {
        let mut cursor = Cursor::of(id);
        // Version 0, and of the kind that stands in blocks.
        if cursor.u8()? & 0xf0 != 0 {
            return None;
        }
        let offset = cursor.number(self.widths[0])?;
        let length = cursor.number(self.widths[1])?;
        let after = self.blocks.partition_point(|it| it.offset <= offset);
        let block = self.blocks.get(after.checked_sub(1)?)?;
        let within = offset - block.offset;
        let end = within.checked_add(length)?;
        (end <= block.size).then_some((block.at.checked_add(within)?, length))
    }
}

impl Hdf5<'_, '_> {
    /// Walks the blocks of a heap; `None` where it is of a form that is not followed.
    pub(super) fn fractal_heap(
        &mut self,
        part: &NamedPart,
        address: u64,
    ) -> Result<Option<FractalHeap>, Stop> {
        let at = self.place(address);
        inside(self, part, at, HEADER, "a heap of its links")?;
        // A heap with filters has a longer head.
        if self.pages.u16(at + 7)? != 0 {
            return Ok(None);
        }
        let bytes = self.sealed(part, at, HEADER, *b"FRHP")?;
        let Some((form, most, root, rows)) = form(&bytes) else {
            let detail = "the head of a heap of its links is damaged";
            return Err(Fault::malformed(part, at, detail).into());
        };
        let mut heap = FractalHeap {
            blocks: Vec::new(),
            widths: [form.width as usize, most],
        };
        if root == NOWHERE {
            return Ok(Some(heap));
        }
        if rows == 0 {
            self.direct_block(part, (root, 0, form.first), &form, &mut heap)?;
        } else {
            self.indirect_block(part, (root, 0, rows), &form, &mut heap, 0)?;
        }
        heap.blocks.sort_unstable_by_key(|block| block.offset);
        Ok(Some(heap))
    }

    fn direct_block(
        &mut self,
        part: &NamedPart,
        (address, offset, size): (u64, u64, u64),
        form: &Form,
        heap: &mut FractalHeap,
    ) -> Result<(), Stop> {
        let at = self.place(address);
        if heap.blocks.len() >= MOST_BLOCKS {
            return Err(too_many(part, at));
        }
        self.letters(part, at, *b"FHDB")?;
        inside(self, part, at, size, "a block of its links")?;
        heap.blocks.push(Block { offset, size, at });
        if !form.has_sums || size > LARGEST_BLOCK {
            return Ok(());
        }
        // Large ones cost more than others.
        self.spend(part, at, 1 + size / 4096)?;
        let mut bytes = self.pages.stretch(at, size as usize)?;
        let sum = 13 + form.width as usize;
        let place = bytes.get_mut(sum..).and_then(<[u8]>::first_chunk_mut::<4>);
        let Some(place) = place else {
            let detail = "a block of its links is too short";
            return Err(Fault::malformed(part, at, detail).into());
        };
        // It was computed with zeros in its own place.
        let stored = u32::from_le_bytes(*place);
        *place = [0; 4];
        if lookup3(&bytes) == stored {
            return Ok(());
        }
        let detail = "a block of its links is not what its checksum says";
        let fault = Fault::malformed(part, at, detail);
        Err(fault.of_kind(FlawKind::ChecksumMismatch).into())
    }

    fn indirect_block(
        &mut self,
        part: &NamedPart,
        (address, offset, rows): (u64, u64, u64),
        form: &Form,
        heap: &mut FractalHeap,
        depth: u8,
    ) -> Result<(), Stop> {
        let at = self.place(address);
        if depth > DEEPEST {
            return Err(too_many(part, at));
        }
        let prefix = 13 + form.width;
        let children = rows.saturating_mul(form.columns);
        let length = children.saturating_mul(8).saturating_add(prefix + 4);
        let bytes = self.sealed(part, at, length, *b"FHIB")?;
        let mut cursor = Cursor::of(bytes.get(prefix as usize..).unwrap_or_default());
        let mut offset = offset;
        for number in 0..children {
            let row = number / form.columns;
            let child = cursor.u64().unwrap_or(NOWHERE);
            let Some(size) = form.size(row) else { break };
            if child != NOWHERE && row < form.direct_rows {
                self.direct_block(part, (child, offset, size), form, heap)?;
            } else if child != NOWHERE
                && let Some(rows) = form.rows(size)
            {
                self.indirect_block(part, (child, offset, rows), form, heap, depth + 1)?;
            }
            offset = offset.saturating_add(size);
        }
        Ok(())
    }
}

/// How the blocks of a heap are laid out, bytes of a length, the root block and its rows; `None` where that is not
/// possible.
fn form(head: &[u8]) -> Option<(Form, usize, u64, u64)> {
    let mut cursor = Cursor::of(head.get(9..)?);
    let flags = cursor.u8()?;
    let most = u64::from(cursor.u32()?);
    cursor.skip(96)?;
    let columns = u64::from(cursor.u16()?);
    let (first, largest) = (cursor.u64()?, cursor.u64()?);
    let bits = u64::from(cursor.u16()?);
    cursor.skip(2)?;
    let (root, rows) = (cursor.u64()?, u64::from(cursor.u16()?));
    let are_powers = [columns, first, largest]
        .iter()
        .all(|it| it.is_power_of_two());
    if !are_powers || largest < first || bits == 0 || bits > 64 {
        return None;
    }
    let form = Form {
        has_sums: flags & WITH_SUMS != 0,
        width: bits.div_ceil(8),
        columns,
        first,
        direct_rows: u64::from(largest.ilog2() - first.ilog2()) + 2,
    };
    let length = largest.min(most).checked_ilog2().unwrap_or(0) / 8 + 1;
    Some((form, length as usize, root, rows))
}
