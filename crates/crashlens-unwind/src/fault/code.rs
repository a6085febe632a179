//! The machine instruction at an address.

use std::fmt::Write as _;

use crashlens_core::Instruction as Described;
use iced_x86::{Code as Opcode, Decoder, DecoderOptions, FastFormatter, Instruction};

use super::features;
use crate::{ProcessSnapshot, ReadMemory};

/// No instruction has more bytes.
pub(super) const LONGEST: usize = 15;

/// A decoded instruction with its bytes.
pub(super) struct Code {
    pub(super) instruction: Instruction,
    bytes: Vec<u8>,
}

impl Code {
    /// Reads the instruction at `address`; `None` where its bytes are out of reach.
    pub(super) fn read(
        snapshot: &ProcessSnapshot,
        memory: &dyn ReadMemory,
        address: u64,
    ) -> Option<Self> {
        let end = snapshot.mapping_at(address)?.end.0;
        let room = usize::try_from(end - address).map_or(LONGEST, |room| room.min(LONGEST));
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

    pub(super) fn is_breakpoint(&self) -> bool {
        self.instruction.code() == Opcode::Int3
    }

    /// In the capture's form.
    pub(super) fn instruction(&self) -> Described {
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
    pub(super) fn with_features(&self, processor: Option<&[String]>) -> Described {
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
