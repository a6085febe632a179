//! The fault behind a signal that a handler raised again.

use super::*;
use crate::fault::first_chance;

const FRAME: u64 = STACK + 0x2000;
const FAULT: u64 = CODE + 0x123;

/// A signal frame as the kernel lays it out, of a SIGSEGV with this code.
fn signal_frame(code: i32, rip: u64) -> Vec<u8> {
    let mut bytes = vec![0; 304 + 128];
    let mut put =
        |offset: usize, value: &[u8]| bytes[offset..offset + value.len()].copy_from_slice(value);
    // rdi, rsp, rip
    put(40 + 8 * 8, &0x777_u64.to_le_bytes());
    put(40 + 15 * 8, &(STACK + 0x3000).to_le_bytes());
    put(40 + 16 * 8, &rip.to_le_bytes());
    put(304, &11_i32.to_le_bytes());
    put(304 + 8, &code.to_le_bytes());
    put(304 + 16, &0x138_u64.to_le_bytes());
    bytes
}

/// A thread that raised SIGSEGV in a handler.
fn raised_again(code: i32, rip: u64) -> World {
    let mut world = World::new(&[0x90])
        .raised(Signal::SEGV, "SI_TKILL", None)
        .registers(|registers| registers.fs_base = Address(0x1234))
        .holding(FRAME, &signal_frame(code, rip));
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

fn first(world: &World) -> SignalAtFault {
    first_chance(world.snapshot.signal.clone(), world.stacks.first(), world).unwrap()
}

#[test]
fn the_first_fault_is_read_from_the_stack() {
    let found = first(&raised_again(1, FAULT));
    assert_eq!(found.code.as_deref(), Some("SEGV_MAPERR"));
    assert_eq!(found.address, Some(Address(0x138)));
    let registers = found.registers.unwrap();
    assert_eq!(
        (registers.rip, registers.rdi),
        (Address(FAULT), Address(0x777))
    );
    assert_eq!(registers.fs_base, Address(0x1234));
}

#[test]
fn a_fault_without_an_address_gets_none() {
    assert_eq!(first(&raised_again(0x80, FAULT)).address, None);
}

#[test]
fn a_frame_that_does_not_fit_is_not_believed() {
    for world in [raised_again(1, FAULT + 1), raised_again(-6, FAULT)] {
        assert_eq!(Some(first(&world)), world.snapshot.signal);
    }
}
