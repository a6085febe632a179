//! Values of registers as an instruction names them.

use crashlens_core::{Address, Registers};
use iced_x86::Register;

/// What the register held; the base address for a segment register. `None` for vector registers, which a
/// capture does not have.
pub(super) fn value(registers: &Registers, register: Register) -> Option<u64> {
    match register {
        Register::FS => return Some(registers.fs_base.0),
        Register::GS => return Some(registers.gs_base.0),
        // Code with 64-bit addresses has these at 0.
        Register::CS | Register::DS | Register::ES | Register::SS => return Some(0),
        Register::AH => return Some(registers.rax.0 >> 8 & 0xff),
        Register::BH => return Some(registers.rbx.0 >> 8 & 0xff),
        Register::CH => return Some(registers.rcx.0 >> 8 & 0xff),
        Register::DH => return Some(registers.rdx.0 >> 8 & 0xff),
        _ => {}
    }
    let whole = whole(registers, register.full_register())?.0;
    match register.size() {
        1 => Some(whole & 0xff),
        2 => Some(whole & 0xffff),
        4 => Some(whole & 0xffff_ffff),
        8 => Some(whole),
        _ => None,
    }
}

fn whole(registers: &Registers, register: Register) -> Option<Address> {
    let r = registers;
    Some(match register {
        Register::RAX => r.rax,
        Register::RBX => r.rbx,
        Register::RCX => r.rcx,
        Register::RDX => r.rdx,
        Register::RSI => r.rsi,
        Register::RDI => r.rdi,
        Register::RBP => r.rbp,
        Register::RSP => r.rsp,
        Register::R8 => r.r8,
        Register::R9 => r.r9,
        Register::R10 => r.r10,
        Register::R11 => r.r11,
        Register::R12 => r.r12,
        Register::R13 => r.r13,
        Register::R14 => r.r14,
        Register::R15 => r.r15,
        Register::RIP => r.rip,
        _ => return None,
    })
}

/// All general registers, to see what a thread was working on.
pub(super) fn general(registers: &Registers) -> [u64; 15] {
    let r = registers;
    [
        r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13,
        r.r14, r.r15,
    ]
    .map(|value| value.0)
}

/// The register's name as the processor's manual writes it, in small letters.
pub(super) fn name(register: Register) -> String {
    format!("{register:?}").to_lowercase()
}
