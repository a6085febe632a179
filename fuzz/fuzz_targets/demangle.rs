//! A mangled name.
#![no_main]

use libfuzzer_sys::fuzz_target;

/// Broken names of more letters can take seconds; that is known, and a run would find nothing else.
const LONGEST: usize = 128;

fuzz_target!(|bytes: &[u8]| {
    crashlens_core::fuzzing::demangle(bytes.get(..LONGEST).unwrap_or(bytes));
});
