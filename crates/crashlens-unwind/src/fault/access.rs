//! Which of an instruction's accesses to memory failed.

use crashlens_core::{Access, AccessKind, RegisterValue, Registers};
use iced_x86::{
    EncodingKind, Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, OpAccess,
    Register, UsedMemory,
};

use super::code::Code;
use super::{FaultInProcess, WITHOUT_ADDRESS, address, is_canonical, operands, place};
use crate::ProcessSnapshot;

/// The processor copies in pieces when it repeats a string instruction, and may stop within one.
const REPEATED_PIECE: u64 = 64;
/// `xsave` and its kin do not say how much they write; today's processors need less.
const UNKNOWN_REACH: u64 = 16 << 10;
/// Bytes of an `xmm` register.
const XMM: usize = 16;

/// An access that an instruction makes.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) kind: AccessKind,
    pub(super) address: u64,
    pub(super) confirmed: bool,
    pub(super) width: Option<u32>,
    pub(super) base: Option<Register>,
    pub(super) index: Option<Register>,
    pub(super) called_from: Option<u64>,
    /// Whether the address itself is as it was computed and has to be aligned.
    pub(super) misaligned: bool,
}

impl Attempt {
    /// An access without operands.
    pub(super) fn at(kind: AccessKind, address: u64) -> Self {
        Self {
            kind,
            address,
            confirmed: false,
            width: None,
            base: None,
            index: None,
            called_from: None,
            misaligned: false,
        }
    }

    /// In the capture's form.
    pub(super) fn into_access(self, snapshot: &ProcessSnapshot, registers: &Registers) -> Access {
        let named = |register: Option<Register>| {
            let register = register?;
            let value = operands::value(registers, register)?;
            Some(RegisterValue {
                name: operands::name(register),
                value: address(value),
                points_into: snapshot.mapping_at(value).cloned(),
            })
        };
        Access {
            kind: self.kind,
            address: address(self.address),
            confirmed: self.confirmed,
            width: self.width,
            base: named(self.base),
            index: named(self.index),
            called_from: self.called_from.map(address),
        }
    }
}

/// One memory operand, computed from the registers.
struct Operand {
    attempt: Attempt,
    /// `None` where a vector register is part of the address.
    computed: Option<u64>,
    /// Bytes from the address that the access may touch, before and after.
    reach: (u64, u64),
    /// Whether the address must be a multiple of the width.
    aligned: bool,
}

impl Operand {
    fn of(instruction: &Instruction, registers: &Registers, used: &UsedMemory) -> Option<Self> {
        let kind = match used.access() {
            OpAccess::Read | OpAccess::CondRead => AccessKind::Read,
            // The processor asks for the right to write before it reads what it will change.
            OpAccess::Write
            | OpAccess::CondWrite
            | OpAccess::ReadWrite
            | OpAccess::ReadCondWrite => AccessKind::Write,
            OpAccess::None | OpAccess::NoMemAccess => return None,
        };
        let computed =
            used.virtual_address(0, |register, _, _| operands::value(registers, register));
        let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        let string = repeated && instruction.is_string_instruction();
        let size = if string {
            instruction.memory_size()
        } else {
            used.memory_size()
        };
        let width = u32::try_from(size.size()).ok().filter(|width| *width > 0);
        let reach = width.map_or(UNKNOWN_REACH, u64::from);
        let reach = if string {
            (REPEATED_PIECE, REPEATED_PIECE + reach)
        } else {
            (0, reach)
        };
        let only = |register: Register| (register != Register::None).then_some(register);
        Some(Self {
            attempt: Attempt {
                width,
                base: only(used.base()),
                index: only(used.index()),
                ..Attempt::at(kind, computed.unwrap_or_default())
            },
            computed,
            reach,
            aligned: wants_alignment(instruction),
        })
    }

    fn touches(&self, fault: u64) -> bool {
        self.computed.is_some_and(|address| {
            // Wrapping on purpose: what ends at the top of the addresses goes on at 0.
            fault.wrapping_sub(address.wrapping_sub(self.reach.0)) < self.reach.0 + self.reach.1
        })
    }

    fn is_refused(&self) -> bool {
        let last = u64::from(self.attempt.width.unwrap_or(1)) - 1;
        self.computed.is_some_and(|address| {
            !is_canonical(address) || !is_canonical(address.wrapping_add(last))
        })
    }

    fn is_misaligned(&self) -> bool {
        let width = self.attempt.width.filter(|_| self.aligned);
        width
            .zip(self.computed)
            .is_some_and(|(width, address)| address % u64::from(width) != 0)
    }
}

/// Whether an instruction insists on memory that is aligned to as many bytes as it moves. From AVX on only the
/// moves that say so do; before, nearly all that use a whole `xmm` register.
fn wants_alignment(instruction: &Instruction) -> bool {
    match instruction.mnemonic() {
        Mnemonic::Vmovaps
        | Mnemonic::Vmovapd
        | Mnemonic::Vmovdqa
        | Mnemonic::Vmovdqa32
        | Mnemonic::Vmovdqa64
        | Mnemonic::Vmovntps
        | Mnemonic::Vmovntpd
        | Mnemonic::Vmovntdq
        | Mnemonic::Vmovntdqa
        | Mnemonic::Cmpxchg16b => true,
        Mnemonic::Movups
        | Mnemonic::Movupd
        | Mnemonic::Movdqu
        | Mnemonic::Lddqu
        | Mnemonic::Maskmovdqu
        | Mnemonic::Pcmpestri
        | Mnemonic::Pcmpestrm
        | Mnemonic::Pcmpestri64
        | Mnemonic::Pcmpestrm64
        | Mnemonic::Pcmpistri
        | Mnemonic::Pcmpistrm => false,
        _ => {
            let registers = [instruction.op0_register(), instruction.op1_register()];
            instruction.encoding() == EncodingKind::Legacy
                && instruction.memory_size().size() == XMM
                && registers.iter().any(|register| register.is_xmm())
        }
    }
}

/// The access that failed, as far as registers and the kernel's address agree on one.
pub(super) fn failed(fault: &FaultInProcess<'_>, code: &Code) -> Option<Attempt> {
    let instruction = &code.instruction;
    if instruction.is_invalid() {
        return None;
    }
    let mut factory = InstructionInfoFactory::new();
    let details = factory.info_options(instruction, InstructionInfoOptions::NO_REGISTER_USAGE);
    let operands: Vec<Operand> = details
        .used_memory()
        .iter()
        .filter_map(|used| Operand::of(instruction, fault.registers, used))
        .collect();
    match fault.signal.address {
        Some(address) => agreeing(fault, &operands, address.0),
        None if fault.signal.code.as_deref() == Some(WITHOUT_ADDRESS) => {
            // The kernel says the same when it cannot enter a handler because the stack is full.
            refused(&operands).or_else(|| unexplained(fault, &operands))
        }
        None => unexplained(fault, &operands),
    }
}

/// The operand that touches the address the kernel named.
fn agreeing(fault: &FaultInProcess<'_>, operands: &[Operand], address: u64) -> Option<Attempt> {
    let confirmed = |operand: &Operand| Attempt {
        address,
        confirmed: true,
        ..operand.attempt.clone()
    };
    let touching: Vec<Attempt> = operands
        .iter()
        .filter(|operand| operand.touches(address))
        .map(confirmed)
        .collect();
    let explained = touching.iter().find(|attempt| {
        let place = place::classify(fault, address, Some(attempt));
        place::explains(Some(&place))
    });
    explained.or(touching.first()).cloned().or_else(|| {
        // Addresses out of a vector register are not known; if there are no others, it was one of them.
        let known = operands.iter().any(|operand| operand.computed.is_some());
        operands.first().filter(|_| !known).map(confirmed)
    })
}

/// The operand whose address has no valid form, or else is not aligned as it must be.
fn refused(operands: &[Operand]) -> Option<Attempt> {
    let refused = operands.iter().find(|operand| operand.is_refused());
    let misaligned = || operands.iter().find(|operand| operand.is_misaligned());
    let unconfirmed = |operand: &Operand| Attempt {
        misaligned: !operand.is_refused(),
        ..operand.attempt.clone()
    };
    refused.or_else(misaligned).map(unconfirmed)
}

/// The operand that cannot have worked, where the kernel said nothing.
fn unexplained(fault: &FaultInProcess<'_>, operands: &[Operand]) -> Option<Attempt> {
    let computed = operands.iter().filter(|operand| operand.computed.is_some());
    computed
        .map(|operand| &operand.attempt)
        .find(|attempt| {
            let place = place::classify(fault, attempt.address, Some(attempt));
            place::explains(Some(&place))
        })
        .cloned()
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn wants(bytes: &[u8]) -> bool {
        wants_alignment(&Decoder::new(64, bytes, DecoderOptions::NONE).decode())
    }

    #[test]
    fn only_instructions_that_insist_on_it_want_alignment() {
        // movaps, addps, movntdq, paddd, vmovdqa
        assert!(wants(&[0x0f, 0x28, 0x07]));
        assert!(wants(&[0x0f, 0x58, 0x07]));
        assert!(wants(&[0x66, 0x0f, 0xe7, 0x07]));
        assert!(wants(&[0x66, 0x0f, 0xfe, 0x07]));
        assert!(wants(&[0xc5, 0xfd, 0x6f, 0x07]));
        // movups, movdqu, pcmpistri, vaddps, vmovdqu, addss, mov
        assert!(!wants(&[0x0f, 0x10, 0x07]));
        assert!(!wants(&[0xf3, 0x0f, 0x6f, 0x07]));
        assert!(!wants(&[0x66, 0x0f, 0x3a, 0x63, 0x07, 0x00]));
        assert!(!wants(&[0xc5, 0xfc, 0x58, 0x07]));
        assert!(!wants(&[0xc5, 0xfe, 0x6f, 0x07]));
        assert!(!wants(&[0xf3, 0x0f, 0x58, 0x07]));
        assert!(!wants(&[0x48, 0x8b, 0x07]));
    }
}
