//! Exceptions that the runtime does not list: those on their way are known only to the code that carries them.
//!
//! While an exception looks for its handler, the unwinder, the personality routine and every clean-up on the
//! way keep a pointer to it in a register or on the stack.

use crashlens_core::Registers;

use crate::{ProcessSnapshot, ReadMemory, arch};

use super::header::{self, Thrown};

/// How much of a stack is searched: the unwinder's own frames take some kilobytes of it.
const SEARCHED: u64 = 32 << 10;
/// Words read at once.
const STEP: usize = 512;
/// From the pointers that are kept to the `_Unwind_Exception`: itself, the object behind it.
const DISTANCES: [u64; 2] = [0, 32];

/// The exception that fits and is nearest to where the thread is.
pub(super) fn nearest(
    snapshot: &ProcessSnapshot,
    memory: &dyn ReadMemory,
    registers: &Registers,
    fits: impl Fn(&Thrown) -> bool,
) -> Option<Thrown> {
    let at = |word| at(snapshot, memory, word).filter(&fits);
    arch::general(registers)
        .into_iter()
        .find_map(&at)
        .or_else(|| on_stack(snapshot, memory, registers.sp().0, at))
}

fn on_stack(
    snapshot: &ProcessSnapshot,
    memory: &dyn ReadMemory,
    stack: u64,
    at: impl Fn(u64) -> Option<Thrown>,
) -> Option<Thrown> {
    let first = stack.checked_add(7)? & !7;
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
        let mut candidates = words.map(|word| u64::from_le_bytes(*word));
        if let Some(found) = candidates.find_map(&at) {
            return Some(found);
        }
        here += length as u64;
    }
    None
}

/// The exception that `word` points at or behind, if it does.
fn at(snapshot: &ProcessSnapshot, memory: &dyn ReadMemory, word: u64) -> Option<Thrown> {
    // Thrown objects are aligned and lie in memory that can be written; most words of a stack are sorted out here.
    if !word.is_multiple_of(16) || !snapshot.mapping_at(word)?.is_writable() {
        return None;
    }
    let mut places = DISTANCES
        .iter()
        .filter_map(|distance| word.checked_sub(*distance));
    places.find_map(|unwind| header::thrown(memory, unwind))
}
