//! A block of a table: its entries, and whether a search finds them.

use crashlens_core::files::FlawKind;

use super::{Fault, Row, fault};
use crate::wire;

/// What keeping an entry costs beside its bytes.
const ENTRY_COST: u64 = 128;

/// The entries of a block, in their order.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) rows: Vec<Row>,
    /// Where each begins, and whether its key is written out.
    places: Vec<(usize, bool)>,
    /// Places from which a search goes on entry by entry.
    restarts: Vec<usize>,
    /// Not all entries were kept.
    is_partial: bool,
}

impl Block {
    /// As many entries as the budget of bytes allows. What comes before a broken one stands.
    pub(super) fn read(block: &[u8], at: u64, budget: &mut u64, faults: &mut Vec<Fault>) -> Self {
        let mut read = Self::default();
        let mut broken = |kind, detail| faults.push(fault(kind, "a block", at, detail));
        let Some((entries, restarts)) = parts(block) else {
            broken(FlawKind::Malformed, "its last part is broken");
            read.is_partial = true;
            return read;
        };
        read.restarts = restarts;
        let mut key: Vec<u8> = Vec::new();
        let mut rest = entries;
        while !rest.is_empty() {
            let (kind, wrong) = match row(rest) {
                None => (FlawKind::Malformed, "an entry reaches beyond it"),
                Some((shared, _)) if shared > key.len() => (
                    FlawKind::Malformed,
                    "an entry continues a key that is shorter",
                ),
                Some((shared, [tail, value, after])) => {
                    key.truncate(shared);
                    key.extend_from_slice(tail);
                    // Keys repeat the one before: a small block may hold entries of any size.
                    let cost = (key.len() + value.len()) as u64 + ENTRY_COST;
                    *budget = budget.saturating_sub(cost);
                    if *budget > 0 {
                        read.rows.push(Row {
                            key: key.clone(),
                            value: value.to_vec(),
                            at,
                        });
                        read.places.push((entries.len() - rest.len(), shared == 0));
                        rest = after;
                        continue;
                    }
                    let wrong =
                        "the index has more entries than may be held; the rest was not read";
                    (FlawKind::TooLarge, wrong)
                }
            };
            broken(kind, wrong);
            read.is_partial = true;
            break;
        }
        read
    }

    /// The first entry whose key is not before `key`, as a search by halves comes to it; `None` where it goes astray.
    pub(super) fn seek(&self, key: &[u8]) -> Option<usize> {
        let (mut left, mut right) = (0, self.restarts.len().checked_sub(1)?);
        while left < right {
            let middle = (left + right).div_ceil(2);
            if self.rows.get(self.restart(middle)?)?.key.as_slice() < key {
                left = middle;
            } else {
                right = middle - 1;
            }
        }
        let start = self.restart(left)?;
        let rows = self.rows.get(start..)?;
        Some(start + rows.partition_point(|row| row.key.as_slice() < key))
    }

    /// The entry at a restart; it must begin there, with all of its key.
    fn restart(&self, number: usize) -> Option<usize> {
        let place = self.restarts.get(number)?;
        let found = self
            .places
            .binary_search_by_key(place, |(at, _)| *at)
            .ok()?;
        self.places.get(found)?.1.then_some(found)
    }
}

/// The first entry of the blocks that is not found by its key: every reading of a tensor is such a search.
pub(super) fn lost(index: &Block, blocks: &[Block]) -> Option<String> {
    if index.is_partial || blocks.iter().any(|block| block.is_partial) {
        return None;
    }
    for (number, block) in blocks.iter().enumerate() {
        for (place, row) in block.rows.iter().enumerate() {
            if index.seek(&row.key) != Some(number) || block.seek(&row.key) != Some(place) {
                let key = String::from_utf8_lossy(&row.key);
                return Some(format!(
                    "a search for the entry {key:?} does not come to it"
                ));
            }
        }
    }
    None
}

/// The entries, and the list of restarts behind them.
fn parts(block: &[u8]) -> Option<(&[u8], Vec<usize>)> {
    let (rest, count) = block.split_last_chunk()?;
    let count = u32::from_le_bytes(*count) as usize;
    let end = rest.len().checked_sub(count.checked_mul(4)?)?;
    let (entries, restarts) = rest.split_at_checked(end)?;
    let (restarts, _) = restarts.as_chunks();
    let restarts = restarts.iter().map(|it| u32::from_le_bytes(*it) as usize);
    Some((entries, restarts.collect()))
}

fn row(bytes: &[u8]) -> Option<(usize, [&[u8]; 3])> {
    let mut rest = bytes;
    let mut number = || {
        let (number, length) = wire::varint(rest).ok()?;
        rest = rest.get(length..)?;
        usize::try_from(number).ok()
    };
    let (shared, unshared, length) = (number()?, number()?, number()?);
    let (tail, rest) = rest.split_at_checked(unshared)?;
    let (value, rest) = rest.split_at_checked(length)?;
    Some((shared, [tail, value, rest]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries with keys of one letter, each written out, and a restart for every one.
    fn block(keys: &[u8], restarts: &[u32]) -> Block {
        let mut bytes = Vec::new();
        for key in keys {
            bytes.extend_from_slice(&[0, 1, 0, *key]);
        }
        for restart in restarts {
            bytes.extend_from_slice(&restart.to_le_bytes());
        }
        bytes.extend_from_slice(&(restarts.len() as u32).to_le_bytes());
        let mut faults = Vec::new();
        let block = Block::read(&bytes, 0, &mut 10_000, &mut faults);
        assert_eq!(faults, []);
        block
    }

    #[test]
    fn every_entry_is_found_where_restarts_are_right() {
        let index = block(b"d", &[0]);
        assert_eq!(lost(&index, &[block(b"abcd", &[0, 8])]), None);
    }

    #[test]
    fn a_restart_that_leads_elsewhere_loses_entries() {
        let index = block(b"d", &[0]);
        for restarts in [&[4][..], &[1], &[65_536], &[0, 9], &[]] {
            assert!(lost(&index, &[block(b"abcd", restarts)]).is_some());
        }
    }

    #[test]
    fn a_restart_that_comes_twice_loses_nothing() {
        let index = block(b"d", &[0]);
        assert_eq!(lost(&index, &[block(b"abcd", &[0, 0])]), None);
    }

    #[test]
    fn a_block_that_is_said_to_end_early_loses_its_last_entries() {
        let index = block(b"c", &[0]);
        let lost = lost(&index, &[block(b"abcd", &[0])]);
        assert!(lost.is_some_and(|it| it.contains("\"d\"")));
    }
}
