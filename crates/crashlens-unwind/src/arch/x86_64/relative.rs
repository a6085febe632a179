//! What the first instructions of an exported function give away about variables that have no symbol.

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic};

use crate::ReadMemory;
use crate::arch::Use;

/// How much of a function is looked at.
const LOOKED_AT: usize = 256;

/// Instructions before the function is given up.
const MOST_INSTRUCTIONS: usize = 64;

/// The addresses that the function at `start` uses relative to its own, in order.
pub(crate) fn addresses_used(memory: &dyn ReadMemory, start: u64, wanted: Use) -> Vec<u64> {
    let bytes = [LOOKED_AT, LOOKED_AT / 4]
        .into_iter()
        .find_map(|length| memory.bytes(start, length).ok());
    let Some(bytes) = bytes else {
        return Vec::new();
    };
    let decoder = Decoder::with_ip(64, &bytes, start, DecoderOptions::NONE);
    decoder
        .into_iter()
        .take(MOST_INSTRUCTIONS)
        .take_while(|instruction| !instruction.is_invalid())
        .filter(Instruction::is_ip_rel_memory_operand)
        .filter(|instruction| match wanted {
            Use::Load => instruction.mnemonic() == Mnemonic::Mov,
            Use::TakeAddress => instruction.mnemonic() == Mnemonic::Lea,
        })
        .map(|instruction| instruction.ip_rel_memory_address())
        .collect()
}
