//! Everything that depends on the processor: registers, machine code, and how the kernel lays out a thread's state.
//!
//! The rest of the crate works with neutral names (`pc`, `sp`, `fp`, the thread pointer) and with what is
//! exported here, so this list is the whole interface of a processor. Another processor, such as aarch64, is a
//! second folder beside `x86_64` that exports the same names. `crashlens_core::Registers` and the modules
//! `arch` of `crashlens-trace` and `crashlens-inspect` are the other places to extend; `cargo xtask tidy` keeps x86-64
//! names out of all other code.
//!
//! Captures and core files come from other machines too, so the choice between two processors is made by what was
//! captured, not by `cfg(target_arch)`.

mod x86_64;

pub(crate) use x86_64::{
    BELOW_STACK_POINTER, Code, ELF_MACHINE, KERNEL_HALF, Known, LEGACY_CALLS, LONGEST_INSTRUCTION,
    Leaf, Register, STACK_POINTER, addresses_used, calls_like_libffi, follows_call, general,
    is_canonical, likely_arguments, longest_kept_first, name, return_address, signal_frame,
    thread_registers, value,
};

use crashlens_core::{AccessKind, Registers};

/// A memory operand of an instruction, with its address computed from the registers.
pub(crate) struct Operand {
    pub(crate) kind: AccessKind,
    /// `None` where a vector register is part of the address.
    pub(crate) computed: Option<u64>,
    /// Bytes accessed, where the instruction says so.
    pub(crate) width: Option<u32>,
    pub(crate) base: Option<Register>,
    pub(crate) index: Option<Register>,
    /// Bytes from the address that the access may touch, before and after.
    pub(crate) reach: (u64, u64),
    /// Whether the address must be a multiple of the width.
    pub(crate) aligned: bool,
}

/// Why the processor stopped at an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exception {
    Division,
    InvalidInstruction,
    /// An access that was refused without naming an address.
    Protection,
    PageFault,
    Other,
}

/// What the kernel leaves on the stack of a thread when it calls a signal handler.
pub(crate) struct SignalFrame {
    /// At the moment the signal arrived.
    pub(crate) registers: Registers,
    pub(crate) exception: Exception,
    /// The address of a page fault.
    pub(crate) address: u64,
    /// Where `siginfo` is, if the handler asked for it.
    pub(crate) siginfo: u64,
}

/// How a function uses an address relative to its own code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It loads what is stored there.
    Load,
    /// It takes the address.
    TakeAddress,
}
