//! Calls: what distinguishes a return address from a stray code pointer, and where it is stored.

use crashlens_core::Registers;
use iced_x86::{Decoder, DecoderOptions, FlowControl};

use crate::ReadMemory;
use crate::testimony::Scene;

/// Calls are encoded in 2 to 8 bytes.
const LONGEST_CALL: u64 = 8;

/// Whether the instruction before `address` is a call.
pub(crate) fn follows_call(memory: &dyn ReadMemory, address: u64) -> bool {
    let Some(start) = address.checked_sub(LONGEST_CALL) else {
        return false;
    };
    let Ok(bytes) = memory.array::<{ LONGEST_CALL as usize }>(start) else {
        return false;
    };
    (2..=LONGEST_CALL as usize).any(|length| {
        let tail = &bytes[bytes.len() - length..];
        let instruction = Decoder::new(64, tail, DecoderOptions::NONE).decode();
        instruction.len() == length
            && matches!(
                instruction.flow_control(),
                FlowControl::Call | FlowControl::IndirectCall
            )
    })
}

/// The return address of a call that has just jumped, if there was one: the word on top of the stack, if it is code
/// after a call.
pub(crate) fn return_address(scene: &Scene<'_>, registers: &Registers) -> Option<u64> {
    let stack = registers.sp().0;
    // Looked at first: a word of the stack that is something else stays where it is.
    let address = scene.confidential.u64(stack).ok()?;
    let mapping = scene.snapshot.mapping_at(address)?;
    if !mapping.is_executable() || !follows_call(scene.memory, address) {
        return None;
    }
    scene.memory.u64(stack).ok()
}

/// Whether the instruction before `return_address` is `call *%r10` or `call *%r11`: libffi's way, and hardly ever
/// a compiler's.
pub(crate) fn calls_like_libffi(memory: &dyn ReadMemory, return_address: u64) -> bool {
    let before = return_address
        .checked_sub(3)
        .and_then(|start| memory.array::<3>(start).ok());
    matches!(before, Some([0x41, 0xff, 0xd2 | 0xd3]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unreadable;

    struct Bytes(&'static [u8]);

    impl ReadMemory for Bytes {
        fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
            let start = address as usize;
            let found = self
                .0
                .get(start..start + buffer.len())
                .ok_or(Unreadable { address })?;
            buffer.copy_from_slice(found);
            Ok(())
        }
    }

    #[test]
    fn calls_of_every_form_are_recognised() {
        let direct = Bytes(&[0x90, 0x90, 0x90, 0xe8, 0x10, 0x20, 0x30, 0x40]);
        let through_register = Bytes(&[0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0]);
        let through_memory = Bytes(&[0x90, 0x90, 0xff, 0x15, 0x01, 0x02, 0x03, 0x04]);
        for memory in [&direct, &through_register, &through_memory] {
            assert!(follows_call(memory, 8));
        }
    }

    #[test]
    fn code_that_is_not_a_call_is_no_return_address() {
        assert!(!follows_call(&Bytes(&[0x90; 8]), 8));
        assert!(!follows_call(&Bytes(&[0x90; 8]), 4));
    }
}
