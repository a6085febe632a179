//! Exceptions that the runtime does not list: those on their way are known only to the code that carries them.
//!
//! While an exception looks for its handler, the unwinder, the personality routine and every clean-up on the
//! way keep a pointer to it in a register or on the stack.

use crashlens_core::Registers;

use crate::{ProcessSnapshot, ReadMemory, arch, stack_words};

use super::header::{self, Thrown};

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
        .or_else(|| stack_words::find(snapshot, memory, registers.sp().0, |_, word| at(word)))
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
