//! A process whose memory says anything, read as every version of CPython.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_unwind::fuzzing::python_memory(bytes));
