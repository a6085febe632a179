//! Trees of the second version: nodes with checksums, whose records are all of one size.

use super::message::Cursor;
use super::tree::{DEEPEST, Hdf5, NOWHERE, inside};
use crate::fault::{Fault, Stop};
use crashlens_core::files::NamedPart;

/// Bytes of a node.
const LARGEST_NODE: u64 = 1 << 20;
const HEADER: u64 = 38;
/// Letters, version, kind; at the end the checksum.
const AROUND: u64 = 10;

/// What is done with each record.
pub(super) type Visit<'v, 'a, 'b> = &'v mut dyn FnMut(&mut Hdf5<'a, 'b>, &[u8]) -> Result<(), Stop>;

/// Of a tree: bytes of its records, and of what says how many there are below, level by level.
struct Form {
    record: u64,
    /// Bytes of the number of records of a child.
    count: u64,
    /// Bytes of the number of records below a child, by the level of the child.
    below: Vec<u64>,
}

/// Bytes that a number needs.
fn bytes_for(number: u64) -> u64 {
    u64::from(number.checked_ilog2().unwrap_or(0)) / 8 + 1
}

impl Form {
    /// As the library computes it; `None` where a node has no room for records.
    fn of(node: u64, record: u64, depth: u16) -> Option<Self> {
        let room = node.checked_sub(AROUND)?;
        let most = room.checked_div(record).filter(|most| *most > 0)?;
        let mut form = Self {
            record,
            count: bytes_for(most),
            below: vec![0],
        };
        let mut all = most;
        for level in 1..=depth {
            let pointer = form.pointer(level)?;
            let most = room.checked_sub(pointer)? / (record + pointer);
            all = (most + 1).checked_mul(all)?.checked_add(most)?;
            form.below.push(bytes_for(all));
        }
        Some(form)
    }

    /// Bytes of what leads to a child of a node of this level.
    fn pointer(&self, level: u16) -> Option<u64> {
        let below = self.below.get(usize::from(level).checked_sub(1)?)?;
        Some(8 + self.count + below)
    }
}

impl<'a, 'b> Hdf5<'a, 'b> {
    /// Visits the records of a tree; a tree that was never made has none.
    pub(super) fn records(
        &mut self,
        part: &NamedPart,
        tree: u64,
        kind: u8,
        visit: Visit<'_, 'a, 'b>,
    ) -> Result<(), Stop> {
        if tree == NOWHERE {
            return Ok(());
        }
        let at = self.place(tree);
        let head = self.sealed(part, at, HEADER, *b"BTHD")?;
        let mut cursor = Cursor::of(head.get(5..).unwrap_or_default());
        let damaged = || Fault::malformed(part, at, "the head of its tree is damaged");
        let found = cursor.u8();
        let sizes = (cursor.u32(), cursor.u16(), cursor.u16());
        let (Some(node), Some(record), Some(depth)) = sizes else {
            return Err(damaged().into());
        };
        let root = cursor.skip(2).and_then(|()| cursor.u64());
        let (Some(root), Some(count)) = (root, cursor.u16()) else {
            return Err(damaged().into());
        };
        let node = u64::from(node);
        let is_bounded = depth <= u16::from(DEEPEST) && node <= LARGEST_NODE;
        let form = Form::of(node, u64::from(record), depth)
            .filter(|_| found == Some(kind) && is_bounded)
            .ok_or_else(damaged)?;
        if root == NOWHERE || count == 0 {
            return Ok(());
        }
        self.branch(part, (root, u64::from(count), depth), &form, visit)
    }

    fn branch(
        &mut self,
        part: &NamedPart,
        (address, count, level): (u64, u64, u16),
        form: &Form,
        visit: Visit<'_, 'a, 'b>,
    ) -> Result<(), Stop> {
        let at = self.place(address);
        let records = form.record * count;
        let pointer = form.pointer(level).unwrap_or(0);
        let pointers = if level == 0 { 0 } else { pointer * (count + 1) };
        let letters = if level == 0 { *b"BTLF" } else { *b"BTIN" };
        let length = AROUND + records + pointers;
        inside(self, part, at, length, "a node of its tree")?;
        let node = self.sealed(part, at, length, letters)?;
        let (_, body) = node.split_at_checked(6).unwrap_or_default();
        let (kept, rest) = body.split_at_checked(records as usize).unwrap_or_default();
        for record in kept.chunks_exact((form.record as usize).max(1)) {
            visit(self, record)?;
        }
        let Some(below) = level.checked_sub(1) else {
            return Ok(());
        };
        for child in rest.chunks_exact((pointer as usize).max(1)) {
            let mut cursor = Cursor::of(child);
            let (Some(address), Some(count)) = (cursor.u64(), cursor.number(form.count as usize))
            else {
                break;
            };
            self.branch(part, (address, count, below), form, visit)?;
        }
        Ok(())
    }
}
