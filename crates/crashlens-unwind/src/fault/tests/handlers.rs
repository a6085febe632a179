//! The fault behind a signal that a handler raised again.

use super::*;
use crate::fault::first_chance;

const FRAME: u64 = STACK + 0x2000;
const FAULT: u64 = CODE + 0x40;

/// A signal frame as the kernel lays it out, with the number of the processor's exception and `siginfo`'s code.
fn signal_frame(trap: u64, code: i32, rip: u64) -> Vec<u8> {
    let mut bytes = vec![0; 304 + 128];
    let mut put =
        |offset: usize, value: &[u8]| bytes[offset..offset + value.len()].copy_from_slice(value);
    // rsp, rip, the exception, the address
    put(40 + 15 * 8, &(STACK + 0x3000).to_le_bytes());
    put(40 + 16 * 8, &rip.to_le_bytes());
    put(40 + 160, &trap.to_le_bytes());
    put(40 + 176, &0x138_u64.to_le_bytes());
    if code != 0 {
        put(304, &11_i32.to_le_bytes());
        put(304 + 8, &code.to_le_bytes());
        put(304 + 16, &0x138_u64.to_le_bytes());
    }
    bytes
}

/// A thread that raised `signal` in a handler, for what `instruction` did.
fn raised_again(signal: Signal, instruction: &[u8], frame: &[u8]) -> World {
    let mut padded = instruction.to_vec();
    padded.resize(16, 0x90);
    let mut world = World::new(&[0x90])
        .raised(signal, "SI_TKILL", None)
        .registers(|registers| registers.fs_base = Address(0x1234))
        .holding(FAULT, &padded)
        .holding(FRAME, frame);
    let frame = |address, lookup, stack| RawFrame {
        address,
        lookup,
        stack,
        trust: FrameTrust::CallFrameInfo,
    };
    world.stacks = vec![RawStack {
        frames: vec![
            frame(CODE, CODE, STACK + 0x1000),
            frame(CODE + 1, CODE, FRAME),
            frame(FAULT, FAULT, STACK + 0x3000),
        ],
        end: StackEnd::Complete,
    }];
    world
}

/// mov rax,[rdi+138h]
const READ: &[u8] = &[0x48, 0x8b, 0x87, 0x38, 0x01, 0x00, 0x00];

#[test]
fn the_first_fault_is_read_from_the_stack() {
    for code in [0, 1] {
        let world = raised_again(Signal::SEGV, READ, &signal_frame(14, code, FAULT));
        let found = world.ask(first_chance).expect("a fault");
        assert_eq!(found.code.as_deref(), Some("SEGV_MAPERR"));
        assert_eq!(found.address, Some(Address(0x138)));
        let registers = found.registers.unwrap();
        assert_eq!(
            (registers.rip, registers.fs_base),
            (Address(FAULT), Address(0x1234))
        );
    }
}

#[test]
fn a_division_and_an_illegal_instruction_are_known_by_the_exception() {
    let division = raised_again(Signal::FPE, &[0xf7, 0xf9], &signal_frame(0, 0, FAULT));
    let found = division.ask(first_chance).expect("a fault");
    assert_eq!(found.code.as_deref(), Some("FPE_INTDIV"));
    let illegal = raised_again(Signal::ILL, &[0x0f, 0x0b], &signal_frame(6, 0, FAULT));
    assert!(illegal.ask(first_chance).is_some());
}

#[test]
fn what_the_instruction_cannot_have_raised_is_not_believed() {
    let nop = &[0x90];
    for world in [
        // A signal that was sent: the kernel left the exception of an earlier fault.
        raised_again(Signal::SEGV, nop, &signal_frame(14, 0, FAULT)),
        raised_again(Signal::FPE, nop, &signal_frame(0, 0, FAULT)),
        raised_again(Signal::SEGV, READ, &signal_frame(0, 0, FAULT)),
        // A record of another place.
        raised_again(Signal::SEGV, READ, &signal_frame(14, 1, FAULT + 1)),
    ] {
        assert_eq!(world.ask(first_chance), None);
    }
}

#[test]
fn a_fault_without_an_address_is_told_without() {
    let mut frame = signal_frame(13, 0, FAULT);
    // rdi
    frame[40 + 64..40 + 72].copy_from_slice(&0x4141_4141_4141_4141_u64.to_le_bytes());
    let world = raised_again(Signal::SEGV, READ, &frame);
    let found = world.ask(first_chance).expect("a fault");
    assert_eq!(
        (found.code.as_deref(), found.address),
        (Some("SI_KERNEL"), None)
    );
}
