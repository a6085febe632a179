//! x86-64 on Linux.

mod call;
mod code;
mod division;
mod dwarf;
mod features;
mod leaf;
mod operands;
mod registers;
mod relative;
mod signal;

pub(crate) use call::{calls_like_libffi, follows_call, return_address};
pub(crate) use code::{Code, LONGEST_INSTRUCTION};
pub(crate) use dwarf::Known;
pub(crate) use iced_x86::Register;
pub(crate) use leaf::Leaf;
pub(crate) use registers::{
    general, likely_arguments, longest_kept_first, name, thread_registers, value,
};
pub(crate) use relative::addresses_used;
pub(crate) use signal::signal_frame;

use object::elf;

/// The processor of an ELF file.
pub(crate) const ELF_MACHINE: elf::Machine = elf::EM_X86_64;
/// The register that instructions name when they use the stack.
pub(crate) const STACK_POINTER: Register = Register::RSP;
/// Bytes below the stack pointer that belong to the stack: the red zone of functions that call none, and what a
/// call itself stores.
pub(crate) const BELOW_STACK_POINTER: u64 = 256;
/// Addresses from here on are the kernel's.
pub(crate) const KERNEL_HALF: u64 = 1 << 63;
/// Where Linux always puts the page of old system calls.
pub(crate) const LEGACY_CALLS: u64 = 0xffff_ffff_ff60_0000;

/// Whether an address can exist: the bits above the 47th repeat it in every address there is.
pub(crate) fn is_canonical(address: u64) -> bool {
    matches!(address >> 47, 0 | 0x1_ffff)
}
