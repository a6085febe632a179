//! The record of a thread that the kernel leaves on its stack for a signal handler.

use crashlens_core::{Address, Registers};

use crate::ReadMemory;
use crate::arch::{Exception, SignalFrame};

/// `ucontext` as the kernel lays it out: where its registers are, what follows them, and where it ends and
/// `siginfo` begins.
const REGISTERS: u64 = 40;
const TRAP: u64 = REGISTERS + 160;
const ADDRESS: u64 = REGISTERS + 176;
const SIGINFO: u64 = 304;

/// The `ucontext` at `place`, if the thread was at `pc` then. `now` are the registers in the handler: the record has no bases of segments, and a
/// handler does not change them.
pub(crate) fn signal_frame(
    memory: &dyn ReadMemory,
    place: u64,
    pc: u64,
    now: Option<&Registers>,
) -> Option<SignalFrame> {
    let word = |offset| memory.u64(place.checked_add(offset)?).ok();
    let mut registers = registers(memory, place.checked_add(REGISTERS)?)?;
    if registers.pc().0 != pc {
        return None;
    }
    if let Some(now) = now {
        (registers.fs_base, registers.gs_base) = (now.fs_base, now.gs_base);
    }
    Some(SignalFrame {
        registers,
        address: word(ADDRESS)?,
        exception: match word(TRAP)? {
            0 => Exception::Division,
            6 => Exception::InvalidInstruction,
            13 => Exception::Protection,
            14 => Exception::PageFault,
            _ => Exception::Other,
        },
        siginfo: place.checked_add(SIGINFO)?,
    })
}

/// `sigcontext`, in the kernel's order.
fn registers(memory: &dyn ReadMemory, place: u64) -> Option<Registers> {
    let bytes = memory.array::<144>(place).ok()?;
    let words = bytes.as_chunks::<8>().0;
    let mut words = words.iter().map(|word| Address(u64::from_le_bytes(*word)));
    let mut next = || words.next();
    Some(Registers {
        r8: next()?,
        r9: next()?,
        r10: next()?,
        r11: next()?,
        r12: next()?,
        r13: next()?,
        r14: next()?,
        r15: next()?,
        rdi: next()?,
        rsi: next()?,
        rbp: next()?,
        rbx: next()?,
        rdx: next()?,
        rax: next()?,
        rcx: next()?,
        rsp: next()?,
        rip: next()?,
        eflags: next()?,
        ..Registers::default()
    })
}
