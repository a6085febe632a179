//! What an instruction reads, writes and jumps to.

use crashlens_core::{AccessKind, Registers};
use iced_x86::{
    EncodingKind, FlowControl, Instruction, InstructionInfoFactory, InstructionInfoOptions,
    Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};

use super::registers::value;
use crate::ReadMemory;
use crate::arch::Operand;

/// The processor copies in pieces when it repeats a string instruction, and may stop within one.
const REPEATED_PIECE: u64 = 64;
/// `xsave` and its kin do not say how much they write; today's processors need less.
const UNKNOWN_REACH: u64 = 16 << 10;
/// Bytes of an `xmm` register.
const XMM: usize = 16;

/// The memory operands of an instruction, those included that are not written out (`push`, `movs`).
pub(super) fn of_memory(instruction: &Instruction, registers: &Registers) -> Vec<Operand> {
    if instruction.is_invalid() {
        return Vec::new();
    }
    let mut factory = InstructionInfoFactory::new();
    let details = factory.info_options(instruction, InstructionInfoOptions::NO_REGISTER_USAGE);
    let used = details.used_memory().iter();
    used.filter_map(|used| operand(instruction, registers, used))
        .collect()
}

fn operand(instruction: &Instruction, registers: &Registers, used: &UsedMemory) -> Option<Operand> {
    let kind = match used.access() {
        OpAccess::Read | OpAccess::CondRead => AccessKind::Read,
        // The processor asks for the right to write before it reads what it will change.
        OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite => {
            AccessKind::Write
        }
        OpAccess::None | OpAccess::NoMemAccess => return None,
    };
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
    Some(Operand {
        kind,
        computed: used.virtual_address(0, |register, _, _| value(registers, register)),
        width,
        base: only(used.base()),
        index: only(used.index()),
        reach,
        aligned: wants_alignment(instruction),
    })
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

/// Where an indirect jump, call or return leads, and the register that says so.
pub(super) fn jump_target(
    instruction: &Instruction,
    registers: &Registers,
    memory: &dyn ReadMemory,
) -> Option<(u64, Option<Register>)> {
    match (instruction.flow_control(), instruction.op0_kind()) {
        (FlowControl::Return, _) => Some((memory.u64(registers.sp().0).ok()?, None)),
        (FlowControl::IndirectCall | FlowControl::IndirectBranch, OpKind::Register) => {
            let register = instruction.op0_register();
            Some((value(registers, register)?, Some(register)))
        }
        (FlowControl::IndirectCall | FlowControl::IndirectBranch, OpKind::Memory) => {
            let place =
                instruction.virtual_address(0, 0, |register, _, _| value(registers, register))?;
            Some((memory.u64(place).ok()?, None))
        }
        _ => None,
    }
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
