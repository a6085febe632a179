//! Registers: their values as an instruction names them, and which are worth a look.

use crashlens_core::{Address, Registers};
use iced_x86::Register;

/// What the register held; the base address for a segment register. `None` for vector registers, which a
/// capture does not have.
pub(crate) fn value(registers: &Registers, register: Register) -> Option<u64> {
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
pub(crate) fn general(registers: &Registers) -> [u64; 15] {
    let r = registers;
    [
        r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13,
        r.r14, r.r15,
    ]
    .map(|value| value.0)
}

/// The register's name as the processor's manual writes it, in small letters.
pub(crate) fn name(register: Register) -> String {
    format!("{register:?}").to_lowercase()
}

/// The general registers, those first that functions keep longest.
pub(crate) fn longest_kept_first(registers: &Registers) -> [u64; 15] {
    let r = registers;
    [
        r.rbx, r.rbp, r.r12, r.r13, r.r14, r.r15, r.rdi, r.rsi, r.rax, r.rcx, r.rdx, r.r8, r.r9,
        r.r10, r.r11,
    ]
    .map(|value| value.0)
}

/// The registers in which a function has its arguments and what it makes of them.
pub(crate) fn likely_arguments(registers: &Registers) -> [u64; 8] {
    let r = registers;
    [r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.r8, r.r9].map(|value| value.0)
}

/// The registers in the note of a core file about a thread (`struct elf_prstatus`).
pub(crate) fn thread_registers(note: &[u8]) -> Option<Registers> {
    /// Where they start in the note.
    const START: usize = 112;
    let words = note.get(START..)?.as_chunks::<8>().0;
    // The kernel's order, which is the order it pushes them in: r15 first.
    let register = |index: usize| {
        words
            .get(index)
            .map(|word| Address(u64::from_le_bytes(*word)))
    };
    Some(Registers {
        r15: register(0)?,
        r14: register(1)?,
        r13: register(2)?,
        r12: register(3)?,
        rbp: register(4)?,
        rbx: register(5)?,
        r11: register(6)?,
        r10: register(7)?,
        r9: register(8)?,
        r8: register(9)?,
        rax: register(10)?,
        rcx: register(11)?,
        rdx: register(12)?,
        rsi: register(13)?,
        rdi: register(14)?,
        rip: register(16)?,
        eflags: register(18)?,
        rsp: register(19)?,
        fs_base: register(21)?,
        gs_base: register(22)?,
    })
}
