//! Python objects that hold anything.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_unwind::fuzzing::python_values(bytes));
