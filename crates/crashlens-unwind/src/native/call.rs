//! Whether a call instruction ends where an address points: what tells a return address from a stray code pointer.

use iced_x86::{Decoder, DecoderOptions, FlowControl};

use crate::ReadMemory;

/// Calls are encoded in 2 to 8 bytes.
const LONGEST_CALL: u64 = 8;

/// Whether the instruction before `address` is a call.
pub(crate) fn precedes(memory: &dyn ReadMemory, address: u64) -> bool {
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
            assert!(precedes(memory, 8));
        }
    }

    #[test]
    fn code_that_is_not_a_call_is_no_return_address() {
        assert!(!precedes(&Bytes(&[0x90; 8]), 8));
        assert!(!precedes(&Bytes(&[0x90; 8]), 4));
    }
}
