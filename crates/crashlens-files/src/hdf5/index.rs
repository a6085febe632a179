//! Chunks as the newest layout finds them: one alone, all in a row, or through an array or a tree with checksums.

use super::chunk::{Chunks, MOST_CHUNKS, Place};
use super::dataset::{DataSet, Stored};
use super::message::Cursor;
use super::tree::{Hdf5, NOWHERE};
use crate::fault::Stop;

/// Flags of the layout.
const PLAIN_EDGES: u8 = 1;
const FILTERED_SINGLE: u8 = 2;
/// Kinds of trees whose records are chunks.
const PLAIN_TREE: u8 = 10;
const FILTERED_TREE: u8 = 11;
/// Letters, version, client, address of the head; at the end the checksum.
const AROUND: u64 = 18;

/// Entries of an index, one for each chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries {
    /// Bytes of each.
    pub(super) width: usize,
    /// Whether size and mask follow the address.
    is_filtered: bool,
}

impl Entries {
    /// `None` where no entry has so many bytes.
    pub(super) fn of(set: &DataSet<'_>, width: u8) -> Option<Self> {
        let width = usize::from(width);
        let is_filtered = !set.filters.is_empty();
        let fits = if is_filtered {
            (13..=20).contains(&width)
        } else {
            width == 8
        };
        fits.then_some(Self { width, is_filtered })
    }
}

impl<'a, 'b> Hdf5<'a, 'b> {
    /// `None` where the message ends too soon.
    pub(super) fn indexed(
        &mut self,
        set: &DataSet<'_>,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<Stored>, Stop> {
        let (Some(flags), Some(rank), Some(width)) = (cursor.u8(), cursor.u8(), cursor.u8()) else {
            return Ok(None);
        };
        let sizes = (0..rank).map(|_| cursor.number(usize::from(width)));
        let Some(sizes) = sizes.collect::<Option<Vec<u64>>>() else {
            return Ok(None);
        };
        let mut walk = set.chunks(sizes)?;
        walk.has_plain_edges = flags & PLAIN_EDGES != 0;
        let kind = cursor.u8();
        let own = match kind {
            Some(1) if flags & FILTERED_SINGLE != 0 => 12,
            Some(1 | 2) => 0,
            Some(3) => 1,
            Some(4) => 5,
            Some(5) => 6,
            Some(kind) => {
                let detail = format!("its chunks are found in the way {kind}, which there is not");
                return Err(set.fault(None, detail).into());
            }
            None => return Ok(None),
        };
        let (Some(own), Some(address)) = (cursor.take(own), cursor.u64()) else {
            return Ok(None);
        };
        // Values that were never written are filled in by the reader.
        if address == NOWHERE {
            return Ok(Some(Stored::default()));
        }
        match kind {
            Some(1) => self.single(set, address, own, &mut walk)?,
            Some(2) => self.in_a_row(set, address, &mut walk)?,
            Some(3) => self.fixed_array(set, address, &mut walk)?,
            Some(4) => self.extensible_array(set, address, &mut walk)?,
            _ => self.chunk_tree(set, address, &mut walk)?,
        }
        Ok(Some(walk.stored))
    }

    fn single(
        &mut self,
        set: &DataSet<'_>,
        address: u64,
        own: &[u8],
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        let at = self.place(address);
        let mut cursor = Cursor::of(own);
        let size = cursor.u64().unwrap_or(walk.length);
        let mask = cursor.u32().unwrap_or(0);
        let place = Place {
            entry: at,
            at,
            size,
            mask,
        };
        self.chunk(set, place, walk)
    }

    /// Chunks that were all given their places at once, and went through no filter.
    fn in_a_row(&mut self, set: &DataSet<'_>, address: u64, walk: &mut Chunks) -> Result<(), Stop> {
        let pairs = set.shape.iter().zip(&walk.sizes);
        let count = pairs
            .map(|(size, chunk)| size.div_ceil((*chunk).max(1)))
            .try_fold(1_u64, u64::checked_mul);
        for number in 0..count.unwrap_or(u64::MAX).min(MOST_CHUNKS) {
            let before = number.saturating_mul(walk.length);
            let at = self.place(address).saturating_add(before);
            let place = Place {
                entry: at,
                at,
                size: walk.length,
                mask: 0,
            };
            self.chunk(set, place, walk)?;
        }
        Ok(())
    }

    fn fixed_array(
        &mut self,
        set: &DataSet<'_>,
        address: u64,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        let at = self.place(address);
        let head = self.sealed(set.part, at, 28, *b"FAHD")?;
        let mut cursor = Cursor::of(head.get(6..).unwrap_or_default());
        let damaged = || set.fault(at, "the head of the list of its chunks is damaged");
        let (Some(width), Some(page)) = (cursor.u8(), cursor.u8()) else {
            return Err(damaged().into());
        };
        let (Some(count), Some(block)) = (cursor.u64(), cursor.u64()) else {
            return Err(damaged().into());
        };
        let entries = Entries::of(set, width).ok_or_else(damaged)?;
        let page = 1_u64.checked_shl(page.into()).ok_or_else(damaged)?;
        if block == NOWHERE {
            return Ok(());
        }
        let block = self.place(block);
        let width = entries.width as u64;
        let length = |count: u64| count.saturating_mul(width).saturating_add(AROUND);
        if count <= page {
            let bytes = self.sealed(set.part, block, length(count), *b"FADB")?;
            let kept = bytes.get(AROUND as usize - 4..).unwrap_or_default();
            return self.entries(set, kept, block, entries, walk);
        }
        let pages = count.div_ceil(page);
        let prefix = pages.div_ceil(8).saturating_add(AROUND);
        let bytes = self.sealed(set.part, block, prefix, *b"FADB")?;
        let bitmap = bytes.get(AROUND as usize - 4..).unwrap_or_default();
        let mut start = block.saturating_add(prefix);
        for number in 0..pages {
            if walk.seen > MOST_CHUNKS {
                break;
            }
            let here = page.min(count.saturating_sub(number.saturating_mul(page)));
            let length = here.saturating_mul(width).saturating_add(4);
            if is_set(bitmap, number) {
                let kept = self.summed(set.part, start, length)?;
                self.entries(set, &kept, start, entries, walk)?;
            }
            start = start.saturating_add(length);
        }
        Ok(())
    }

    /// Chunks that entries one behind the other lead to.
    pub(super) fn entries(
        &mut self,
        set: &DataSet<'_>,
        bytes: &[u8],
        entry: u64,
        entries: Entries,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        for bytes in bytes.chunks_exact(entries.width.max(1)) {
            let mut cursor = Cursor::of(bytes);
            let Some(address) = cursor.u64().filter(|address| *address != NOWHERE) else {
                continue;
            };
            self.entry(set, address, cursor, entries, entry, walk)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        set: &DataSet<'_>,
        address: u64,
        mut cursor: Cursor<'_>,
        entries: Entries,
        entry: u64,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        walk.seen += 1;
        // So many say enough.
        if walk.seen > MOST_CHUNKS {
            return Ok(());
        }
        let (size, mask) = if entries.is_filtered {
            let size = cursor.number(entries.width.saturating_sub(12));
            (size.unwrap_or(0), cursor.u32().unwrap_or(0))
        } else {
            (walk.length, 0)
        };
        let place = Place {
            entry,
            at: self.place(address),
            size,
            mask,
        };
        self.chunk(set, place, walk)
    }

    /// Each record is an entry, and where the chunk belongs.
    fn chunk_tree(
        &mut self,
        set: &DataSet<'_>,
        address: u64,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        let kind = if set.filters.is_empty() {
            PLAIN_TREE
        } else {
            FILTERED_TREE
        };
        let at = self.place(address);
        let corner = 8 * set.shape.len();
        let mut visit = |file: &mut Hdf5<'a, 'b>, record: &[u8]| {
            let width = record.len().checked_sub(corner);
            let width = width.and_then(|width| u8::try_from(width).ok());
            let entries = width.and_then(|width| Entries::of(set, width));
            let entries = entries
                .ok_or_else(|| set.fault(at, "the head of the tree of its chunks is damaged"))?;
            let entry = record.get(..entries.width).unwrap_or_default();
            file.entries(set, entry, at, entries, walk)
        };
        self.records(set.part, address, kind, &mut visit)
    }
}

/// A bit of a map, the greatest of each byte first.
pub(super) fn is_set(bitmap: &[u8], number: u64) -> bool {
    let byte = usize::try_from(number / 8)
        .ok()
        .and_then(|at| bitmap.get(at));
    byte.is_some_and(|byte| byte >> (7 - number % 8) & 1 == 1)
}
