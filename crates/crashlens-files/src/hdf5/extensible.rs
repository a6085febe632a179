//! The index of chunks of a data set that grows in one dimension: blocks that get larger the further they are.

use super::chunk::{Chunks, MOST_CHUNKS};
use super::dataset::DataSet;
use super::index::{Entries, is_set};
use super::message::Cursor;
use super::tree::{Hdf5, NOWHERE};
use crate::fault::Stop;

const HEADER: u64 = 72;
/// Letters, version, client, address of the head; at the end the checksum.
const AROUND: u64 = 18;

/// How an array is laid out.
struct Form {
    entries: Entries,
    /// Bytes of the number of an entry.
    offset: u64,
    /// Entries beside the addresses of the first blocks.
    in_index: u64,
    /// Entries of the smallest block.
    smallest: u64,
    /// Blocks of the first one that is a block of blocks.
    pointers: u64,
    /// Entries of a page; larger blocks have pages.
    page: u64,
    /// Groups of blocks, of which the first stand in the index itself.
    groups: u32,
}

impl Form {
    /// `None` where the head is damaged.
    fn of(set: &DataSet<'_>, cursor: &mut Cursor<'_>) -> Option<Self> {
        let entries = Entries::of(set, cursor.u8()?)?;
        let bits = u32::from(cursor.u8()?);
        let in_index = u64::from(cursor.u8()?);
        let smallest = u64::from(cursor.u8()?);
        let pointers = u64::from(cursor.u8()?);
        let page = 1_u64.checked_shl(cursor.u8()?.into())?;
        let is_sound = bits <= 64 && smallest.is_power_of_two() && pointers.is_power_of_two();
        let groups = 1 + bits.checked_sub(smallest.checked_ilog2()?)?;
        is_sound.then_some(Self {
            entries,
            offset: u64::from(bits).div_ceil(8),
            in_index,
            smallest,
            pointers,
            page,
            groups,
        })
    }

    /// Blocks of a group.
    fn blocks(group: u32) -> u64 {
        1_u64.checked_shl(group / 2).unwrap_or(u64::MAX)
    }

    /// Entries of each block of a group.
    fn length(&self, group: u32) -> u64 {
        let times = 1_u64.checked_shl(group.div_ceil(2)).unwrap_or(u64::MAX);
        times.saturating_mul(self.smallest)
    }

    fn bytes(&self, count: u64) -> u64 {
        count.saturating_mul(self.entries.width as u64)
    }
}

impl Hdf5<'_, '_> {
    pub(super) fn extensible_array(
        &mut self,
        set: &DataSet<'_>,
        address: u64,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        let at = self.place(address);
        let head = self.sealed(set.part, at, HEADER, *b"EAHD")?;
        let mut cursor = Cursor::of(head.get(6..).unwrap_or_default());
        let form = Form::of(set, &mut cursor);
        let index = cursor.skip(48).and_then(|()| cursor.u64());
        let (Some(form), Some(index)) = (form, index) else {
            let detail = "the head of the list of its chunks is damaged";
            return Err(set.fault(at, detail).into());
        };
        if index == NOWHERE {
            return Ok(());
        }
        self.index_block(set, index, &form, walk)
    }

    fn index_block(
        &mut self,
        set: &DataSet<'_>,
        address: u64,
        form: &Form,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        let at = self.place(address);
        let within = 2 * form.pointers.ilog2();
        let blocks = 2 * (form.pointers - 1);
        let groups = form.groups.saturating_sub(within);
        let entries = form.bytes(form.in_index);
        let length = AROUND + entries + 8 * blocks + 8 * u64::from(groups);
        let bytes = self.sealed(set.part, at, length, *b"EAIB")?;
        let mut cursor = Cursor::of(bytes.get(AROUND as usize - 4..).unwrap_or_default());
        let kept = cursor.take(entries as usize).unwrap_or_default();
        self.entries(set, kept, at, form.entries, walk)?;
        for group in 0..within {
            for _ in 0..Form::blocks(group) {
                let block = cursor.u64().unwrap_or(NOWHERE);
                self.data_block(set, block, form, group, &|_| true, walk)?;
            }
        }
        for group in within..form.groups {
            let block = cursor.u64().unwrap_or(NOWHERE);
            self.block_of_blocks(set, block, form, group, walk)?;
        }
        Ok(())
    }

    fn block_of_blocks(
        &mut self,
        set: &DataSet<'_>,
        address: u64,
        form: &Form,
        group: u32,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        if address == NOWHERE || walk.seen > MOST_CHUNKS {
            return Ok(());
        }
        let at = self.place(address);
        let blocks = Form::blocks(group);
        let pages = match form.length(group) {
            length if length > form.page => length / form.page,
            _ => 0,
        };
        let map = blocks.saturating_mul(pages.div_ceil(8));
        let addresses = blocks.saturating_mul(8).saturating_add(map);
        let length = addresses.saturating_add(AROUND + form.offset);
        let bytes = self.sealed(set.part, at, length, *b"EASB")?;
        let start = (AROUND - 4 + form.offset) as usize;
        let mut cursor = Cursor::of(bytes.get(start..).unwrap_or_default());
        let map = cursor.take(map as usize).unwrap_or_default();
        for number in 0..blocks {
            let block = cursor.u64().unwrap_or(NOWHERE);
            let is_there = |page: u64| is_set(map, number * pages + page);
            self.data_block(set, block, form, group, &is_there, walk)?;
        }
        Ok(())
    }

    fn data_block(
        &mut self,
        set: &DataSet<'_>,
        address: u64,
        form: &Form,
        group: u32,
        is_there: &dyn Fn(u64) -> bool,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        if address == NOWHERE || walk.seen > MOST_CHUNKS {
            return Ok(());
        }
        let at = self.place(address);
        let count = form.length(group);
        let prefix = AROUND + form.offset;
        if count <= form.page {
            let length = prefix.saturating_add(form.bytes(count));
            let bytes = self.sealed(set.part, at, length, *b"EADB")?;
            let kept = bytes.get(prefix as usize - 4..).unwrap_or_default();
            return self.entries(set, kept, at, form.entries, walk);
        }
        self.sealed(set.part, at, prefix, *b"EADB")?;
        let length = form.bytes(form.page).saturating_add(4);
        for page in (0..count / form.page).filter(|page| is_there(*page)) {
            if walk.seen > MOST_CHUNKS {
                break;
            }
            let before = page.saturating_mul(length).saturating_add(prefix);
            let start = at.saturating_add(before);
            let kept = self.summed(set.part, start, length)?;
            self.entries(set, &kept, start, form.entries, walk)?;
        }
        Ok(())
    }
}
