//! A call laid out by hand, whole and damaged.

use crashlens_core::{ForeignApi, PointerTarget};
use proptest::prelude::*;

use crate::{ReadMemory, Unreadable};

use super::super::values::flags;
use super::read_anything;

/// Where the bytes stand; the same bytes follow at every multiple of their length.
const BASE: u64 = 0x1_0000;
const LENGTH: usize = 0x2000;
/// The stack of the call.
const STACK: [u64; 2] = [BASE + 0x1000, BASE + 0x1400];

struct Bytes(Vec<u8>);

impl ReadMemory for Bytes {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let missing = Unreadable { address };
        let start = address.checked_sub(BASE).ok_or(missing)? as usize;
        let end = start.checked_add(buffer.len()).ok_or(missing)?;
        buffer.copy_from_slice(self.0.get(start..end).ok_or(missing)?);
        Ok(())
    }
}

impl Bytes {
    fn put(&mut self, offset: usize, words: &[u64]) {
        for (index, word) in words.iter().enumerate() {
            let start = offset + index * 8;
            self.0[start..start + 8].copy_from_slice(&word.to_le_bytes());
        }
    }

    /// A type with its name, size and base.
    fn put_type(&mut self, offset: usize, name: &str, size: u64, kind: u64, base: u64) {
        let place = offset + 320;
        self.0[place..place + name.len()].copy_from_slice(name.as_bytes());
        self.put(offset, &[1, BASE, 0, BASE + place as u64, size]);
        self.put(offset + 168, &[kind | flags::READY]);
        self.put(offset + 256, &[base]);
    }
}

/// `f(8, 3)` through ctypes of Python 3.8, the first of them a pointer.
fn call() -> Bytes {
    let mut bytes = Bytes(vec![0; LENGTH]);
    bytes.put_type(0, "type", 400, flags::TYPE, 0);
    bytes.put_type(0x200, "_ctypes.PyCFuncPtr", 160, 0, 0);
    bytes.put_type(0x400, "CFunctionType", 176, 0, BASE + 0x200);
    bytes.put_type(0x600, "tuple", 24, flags::TUPLE, 0);
    bytes.put_type(0x800, "int", 24, flags::INT, 0);
    // The function, with where it leads.
    bytes.put(0xb00, &[1, BASE + 0x400, BASE + 0xbf0]);
    bytes.put(0xbf0, &[0x4000]);
    // The tuple and its numbers.
    let numbers = [BASE + 0xc40, BASE + 0xc80];
    bytes.put(0xc00, &[1, BASE + 0x600, 2, numbers[0], numbers[1]]);
    bytes.put(0xc40, &[1, BASE + 0x800, 1, 8]);
    bytes.put(0xc80, &[1, BASE + 0x800, 1, 3]);
    let (pointer, int) = (BASE + 0xd00, BASE + 0xd20);
    bytes.put(0xd00, &[8, 14 << 16 | 8]);
    bytes.put(0xd20, &[4, 10 << 16 | 4]);
    // Types, places and records of the arguments, then the description of the call.
    bytes.put(0x1040, &[pointer, int]);
    bytes.put(0x1060, &[BASE + 0x1110, BASE + 0x1130]);
    bytes.put(0x1100, &[pointer, 0, 8, 0, int, 0, 3]);
    bytes.put(0x1200, &[2 << 32 | 2, BASE + 0x1040, int]);
    bytes.put(0x1240, &[0x4000, BASE + 0xb00, BASE + 0xc00]);
    bytes
}

#[test]
fn a_call_is_read_from_the_stack_alone() {
    let found = read_anything(&call(), (3, 8), ForeignApi::Ctypes, STACK);
    let found = found.unwrap().unwrap();
    assert_eq!(found.address.unwrap().0, 0x4000);
    assert_eq!(found.declared, Some(false));
    let [first, second] = found.arguments.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(first.value.as_ref().unwrap().text.as_deref(), Some("8"));
    assert_eq!(first.pointer.unwrap().0, 8);
    assert_eq!(first.target, Some(PointerTarget::Null));
    assert_eq!(second.value.as_ref().unwrap().text.as_deref(), Some("3"));
    assert_eq!((second.pointer, second.target), (None, None));
}

#[test]
fn a_tuple_that_does_not_agree_with_what_was_passed_is_no_argument() {
    let mut bytes = call();
    bytes.put(0xc98, &[4]);
    let found = read_anything(&bytes, (3, 8), ForeignApi::Ctypes, STACK);
    let found = found.unwrap().unwrap();
    assert_eq!(found.arguments.len(), 2);
    assert!(
        found
            .arguments
            .iter()
            .all(|argument| argument.value.is_none())
    );
    assert_eq!(found.arguments[0].pointer.unwrap().0, 8);
}

#[test]
fn a_function_that_was_not_handed_on_is_not_the_one() {
    let mut bytes = call();
    bytes.put(0x1240, &[0]);
    let found = read_anything(&bytes, (3, 8), ForeignApi::Ctypes, STACK);
    assert!(found.is_err(), "{found:?}");
}

proptest! {
    #[test]
    fn no_stack_is_too_broken(
        damage in prop::collection::vec((0..LENGTH / 8, prop_oneof![
            3 => (0..LENGTH as u64 / 8).prop_map(|index| BASE + 8 * index),
            2 => 0..256_u64,
            1 => any::<u64>(),
        ]), 0..24),
        minor in 6..16_u8,
        cffi: bool,
    ) {
        let mut bytes = call();
        for (index, word) in damage {
            bytes.put(index * 8, &[word]);
        }
        let api = if cffi { ForeignApi::Cffi } else { ForeignApi::Ctypes };
        let _ = read_anything(&bytes, (3, minor), api, STACK);
    }
}
