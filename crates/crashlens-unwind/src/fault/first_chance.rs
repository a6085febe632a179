//! The fault that a handler of the program received, from the signal frame the kernel left on the stack.
//!
//! Handlers such as Python's faulthandler write their lines and raise the signal again. What ended the process is
//! then a signal that it sent to itself; what explains it is below, on the same stack.

use crashlens_core::{Address, Registers, Signal};

use super::is_sent;
use crate::native::RawStack;
use crate::{ReadMemory, SignalAtFault};

/// `ucontext` as the kernel lays it out: where its registers are, and where it ends and `siginfo` begins.
const REGISTERS: u64 = 40;
const SIGINFO: u64 = 304;
/// The signal frames of a stack that are looked at: handlers rarely fault themselves.
const MAX_HANDLERS: usize = 4;
/// `SI_KERNEL`
const FROM_KERNEL: i32 = 0x80;

/// The signal that explains the death: the one before, where a handler raised it again.
pub(crate) fn first_chance(
    last: Option<SignalAtFault>,
    stack: Option<&RawStack>,
    memory: &dyn ReadMemory,
) -> Option<SignalAtFault> {
    let last = last?;
    let raised = last.signal.is_fault() && last.code.as_deref().is_some_and(is_sent);
    if !raised {
        return Some(last);
    }
    let frames = stack.map_or(&[][..], |stack| &stack.frames);
    // A frame that was interrupted has the kernel's record of it right below.
    let interrupted = frames
        .windows(2)
        .filter(|pair| pair[1].address == pair[1].lookup)
        .take(MAX_HANDLERS);
    let found = interrupted
        .filter_map(|pair| read(memory, pair[0].stack, pair[1].address))
        .find(|earlier| earlier.signal == last.signal);
    let Some(mut earlier) = found else {
        return Some(last);
    };
    // The kernel's record has no bases of segments. A handler does not change them.
    if let Some((first, now)) = earlier.registers.as_mut().zip(last.registers) {
        (first.fs_base, first.gs_base) = (now.fs_base, now.gs_base);
    }
    earlier.witnessed = last.witnessed;
    Some(earlier)
}

/// The signal whose `ucontext` is at `place`, if the processor raised it while the thread was at `rip`.
fn read(memory: &dyn ReadMemory, place: u64, rip: u64) -> Option<SignalAtFault> {
    let info = place.checked_add(SIGINFO)?;
    let signal = Signal(memory.i32(info).ok()?);
    let code = memory.i32(info.checked_add(8)?).ok()?;
    if !signal.is_fault() || code <= 0 {
        return None;
    }
    let registers = registers(memory, place.checked_add(REGISTERS)?)?;
    if registers.rip.0 != rip {
        return None;
    }
    let address = memory.u64(info.checked_add(16)?).ok()?;
    Some(SignalAtFault {
        signal,
        code: Some(signal.code_name(code)),
        address: (code != FROM_KERNEL).then_some(Address(address)),
        registers: Some(registers),
        witnessed: crate::Witnessed::default(),
    })
}

/// `sigcontext`, in the kernel's order.
fn registers(memory: &dyn ReadMemory, place: u64) -> Option<Registers> {
    let bytes = memory.array::<144>(place).ok()?;
    let mut words = bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|word| Address(u64::from_le_bytes(*word)));
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
