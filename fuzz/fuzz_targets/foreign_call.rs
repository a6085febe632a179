//! The stack of a call through ctypes or cffi, and the objects it leads to.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_unwind::fuzzing::foreign_call(bytes));
