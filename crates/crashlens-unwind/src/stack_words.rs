//! The words of a stack near where its thread is: what the innermost functions keep there.

use crate::{ProcessSnapshot, ReadMemory};

/// How much of a stack is searched: the frames of an abort or of the unwinder take some kilobytes of it.
const SEARCHED: u64 = 32 << 10;
/// Words read at once.
const STEP: usize = 512;

/// What `at` finds first for a word and the address it is at, from the stack pointer on.
pub(crate) fn find<T>(
    snapshot: &ProcessSnapshot,
    memory: &dyn ReadMemory,
    stack_pointer: u64,
    at: impl Fn(u64, u64) -> Option<T>,
) -> Option<T> {
    let first = stack_pointer.checked_add(7)? & !7;
    let mapping = snapshot.mapping_at(first)?;
    let end = mapping.end.0.min(first.checked_add(SEARCHED)?);
    let mut here = first;
    while here < end {
        let length = (STEP as u64 * 8).min((end - here) & !7) as usize;
        if length == 0 {
            return None;
        }
        let bytes = memory.bytes(here, length).ok()?;
        let words = bytes.chunks_exact(8).filter_map(|word| word.first_chunk());
        let mut placed = (here..).step_by(8).zip(words);
        if let Some(found) =
            placed.find_map(|(address, word)| at(address, u64::from_le_bytes(*word)))
        {
            return Some(found);
        }
        here += length as u64;
    }
    None
}
