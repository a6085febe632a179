//! The operand that divided.

use crashlens_core::{Division, Registers};
use iced_x86::{Instruction, Mnemonic, OpKind};

use super::registers::{name, value};
use crate::ReadMemory;

/// What an integer division divided by; `None` for any other instruction.
pub(super) fn operands(
    instruction: &Instruction,
    registers: &Registers,
    memory: &dyn ReadMemory,
) -> Option<Division> {
    let signed = match instruction.mnemonic() {
        Mnemonic::Idiv => true,
        Mnemonic::Div => false,
        _ => return None,
    };
    let (divisor, value, bytes) = match instruction.op0_kind() {
        OpKind::Register => {
            let register = instruction.op0_register();
            let value = value(registers, register);
            (name(register), value, register.size())
        }
        OpKind::Memory => {
            let size = instruction.memory_size().size();
            let place =
                instruction.virtual_address(0, 0, |register, _, _| value(registers, register));
            let value = place.and_then(|place| read(memory, place, size));
            ("memory".to_owned(), value, size)
        }
        _ => return None,
    };
    let bits = u32::try_from(bytes).ok()?.checked_mul(8)?;
    Some(Division {
        divisor,
        value: value.map(|value| {
            if signed {
                extend(value, bits)
            } else {
                value as i64
            }
        }),
        bits,
    })
}

fn read(memory: &dyn ReadMemory, place: u64, size: usize) -> Option<u64> {
    let mut bytes = [0; 8];
    memory.read(place, bytes.get_mut(..size)?).ok()?;
    Some(u64::from_le_bytes(bytes))
}

/// The number that the lowest `bits` of `value` are, if they have a sign.
fn extend(value: u64, bits: u32) -> i64 {
    let unused = 64_u32.saturating_sub(bits).min(63);
    (value << unused) as i64 >> unused
}
