//! The fault that a handler of the program received, from the signal frame the kernel left on the stack.
//!
//! Handlers such as Python's faulthandler write their lines and raise the signal again. What ended the process is
//! then a signal that it sent to itself; what explains it is below, on the same stack.
//!
//! The kernel always leaves the registers and the number of the processor's exception there, but `siginfo` only
//! for handlers that ask for it, and the number of an earlier exception where the signal was no fault. So the
//! instruction must have been able to raise it.

use crashlens_core::{Address, Signal};

use super::{FaultInProcess, WITHOUT_ADDRESS, is_sent, place};
use crate::arch::{self, Exception};
use crate::testimony::Scene;
use crate::{ReadMemory, SignalAtFault};

/// The signal frames of a stack that are looked at: handlers rarely fault themselves.
const MAX_HANDLERS: usize = 4;

/// The fault of which the last signal is the repetition. `None` where the last one stands for itself.
pub(crate) fn first_chance(scene: &Scene<'_>) -> Option<SignalAtFault> {
    let last = scene.snapshot.signal.as_ref()?;
    if !last.signal.is_fault() || !last.code.as_deref().is_some_and(is_sent) {
        return None;
    }
    let frames = scene.stacks.first().map_or(&[][..], |stack| &stack.frames);
    // A frame that was interrupted has the kernel's record of it right below.
    let interrupted = frames
        .windows(2)
        .filter(|pair| pair[1].address == pair[1].lookup)
        .take(MAX_HANDLERS);
    interrupted
        .filter_map(|pair| read(scene, last, pair[0].stack, pair[1].address))
        .find(|earlier| is_plausible(scene, earlier))
}

/// The fault whose signal frame is at `place`, if the thread was at `pc` then.
fn read(scene: &Scene<'_>, last: &SignalAtFault, place: u64, pc: u64) -> Option<SignalAtFault> {
    let memory = scene.memory;
    let frame = arch::signal_frame(memory, place, pc, last.registers.as_ref())?;
    let address = frame.address;
    let (code, address) = match (last.signal, frame.exception) {
        (Signal::SEGV | Signal::BUS, Exception::PageFault) => {
            (page_fault_code(scene, last.signal, address), Some(address))
        }
        (Signal::SEGV | Signal::BUS, Exception::Protection) => (WITHOUT_ADDRESS.to_owned(), None),
        (Signal::FPE, Exception::Division) => ("FPE_INTDIV".to_owned(), Some(pc)),
        (Signal::ILL, Exception::InvalidInstruction) => ("ILL_ILLOPN".to_owned(), Some(pc)),
        _ => return None,
    };
    let told = told_code(memory, last.signal, frame.siginfo, address);
    Some(SignalAtFault {
        signal: last.signal,
        code: Some(told.unwrap_or(code)),
        address: address.map(Address),
        registers: Some(frame.registers),
        witnessed: last.witnessed.clone(),
    })
}

/// The code in the `siginfo` at `info`, if that is about the same fault.
fn told_code(
    memory: &dyn ReadMemory,
    signal: Signal,
    info: u64,
    address: Option<u64>,
) -> Option<String> {
    let number = memory.i32(info).ok()?;
    let code = memory.i32(info.checked_add(8)?).ok()?;
    let told = memory.u64(info.checked_add(16)?).ok()?;
    let same = number == signal.0 && code > 0 && address.is_some_and(|address| address == told);
    same.then(|| signal.code_name(code))
}

/// The code that the kernel gives for a page that could not be had.
fn page_fault_code(scene: &Scene<'_>, signal: Signal, address: u64) -> String {
    let code = match (signal, scene.snapshot.mapping_at(address)) {
        (Signal::BUS, _) => "BUS_ADRERR",
        (_, Some(_)) => "SEGV_ACCERR",
        (_, None) => "SEGV_MAPERR",
    };
    code.to_owned()
}

/// Whether the instruction can have raised it.
fn is_plausible(scene: &Scene<'_>, signal: &SignalAtFault) -> bool {
    let Some(registers) = &signal.registers else {
        return false;
    };
    let fault = FaultInProcess {
        scene,
        signal,
        registers,
    };
    match signal.signal {
        Signal::SEGV | Signal::BUS => {
            let site = fault.of_memory();
            // A page of a file may be missing although it is mapped.
            let explained = signal.signal == Signal::BUS || place::explains(site.place.as_ref());
            site.access.is_some() && explained
        }
        Signal::FPE => fault.of_arithmetic().division.is_some(),
        _ => fault.code_at(registers.pc().0).is_some(),
    }
}
