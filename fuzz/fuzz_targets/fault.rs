//! A thread's fault: its registers, code, mappings and stack.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_unwind::fuzzing::fault(bytes));
