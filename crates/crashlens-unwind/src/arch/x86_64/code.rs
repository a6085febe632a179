//! The machine instruction at an address.

use std::fmt::Write as _;

use crashlens_core::{Division, Instruction as Described, Registers};
use iced_x86::{Code as Opcode, Decoder, DecoderOptions, FastFormatter, Instruction};

use super::{Register, division, features, operands};
use crate::arch::Operand;
use crate::{ProcessSnapshot, ReadMemory};

/// No instruction has more bytes.
pub(crate) const LONGEST_INSTRUCTION: usize = 15;

/// A decoded instruction with its bytes.
pub(crate) struct Code {
    instruction: Instruction,
    bytes: Vec<u8>,
}

impl Code {
    /// Reads the instruction at `address`; `None` where its bytes are out of reach.
    pub(crate) fn read(
        snapshot: &ProcessSnapshot,
        memory: &dyn ReadMemory,
        address: u64,
    ) -> Option<Self> {
        let end = snapshot.mapping_at(address)?.end.0;
        let room = usize::try_from(end - address)
            .map_or(LONGEST_INSTRUCTION, |room| room.min(LONGEST_INSTRUCTION));
        // The last instruction of a mapping may have neighbours that cannot be read, and a recording has only
        // the bytes that were read once.
        let bytes = memory.bytes(address, room).ok().or_else(|| {
            (1..room)
                .rev()
                .find_map(|count| memory.bytes(address, count).ok())
        })?;
        let instruction = Decoder::with_ip(64, &bytes, address, DecoderOptions::NONE).decode();
        let length = if instruction.is_invalid() {
            bytes.len()
        } else {
            instruction.len()
        };
        let bytes = bytes.get(..length)?.to_vec();
        Some(Self { instruction, bytes })
    }

    /// The instruction that trapped. A breakpoint has been executed when it is reported: it is the byte before.
    pub(crate) fn trapped(
        snapshot: &ProcessSnapshot,
        memory: &dyn ReadMemory,
        pc: u64,
    ) -> Option<Self> {
        pc.checked_sub(1)
            .and_then(|before| Self::read(snapshot, memory, before))
            .filter(|code| code.instruction.code() == Opcode::Int3)
            .or_else(|| Self::read(snapshot, memory, pc))
    }

    /// Its accesses to memory.
    pub(crate) fn operands(&self, registers: &Registers) -> Vec<Operand> {
        operands::of_memory(&self.instruction, registers)
    }

    /// Where an indirect jump, call or return leads, and the register that says so.
    pub(crate) fn jump_target(
        &self,
        registers: &Registers,
        memory: &dyn ReadMemory,
    ) -> Option<(u64, Option<Register>)> {
        operands::jump_target(&self.instruction, registers, memory)
    }

    /// What it divided by; `None` for any instruction but an integer division.
    pub(crate) fn division(
        &self,
        registers: &Registers,
        memory: &dyn ReadMemory,
    ) -> Option<Division> {
        division::operands(&self.instruction, registers, memory)
    }

    /// In the capture's form.
    pub(crate) fn instruction(&self) -> Described {
        let mut text = String::new();
        FastFormatter::new().format(&self.instruction, &mut text);
        let mut bytes = String::new();
        for byte in &self.bytes {
            let _ = write!(bytes, "{byte:02x}");
        }
        Described {
            text,
            bytes,
            needs: Vec::new(),
            missing: None,
        }
    }

    /// The same, with the features it needs against those the processor has.
    pub(crate) fn with_features(&self, processor: Option<&[String]>) -> Described {
        let needs: Vec<String> = features::needed(&self.instruction)
            .map(str::to_owned)
            .collect();
        let missing = processor.map(|flags| {
            let missing = needs.iter().filter(|need| !flags.contains(need));
            missing.cloned().collect()
        });
        Described {
            needs,
            missing,
            ..self.instruction()
        }
    }
}
