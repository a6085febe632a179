//! A mangled name.
#![no_main]

use libfuzzer_sys::fuzz_target;

/// The parser's time doubles with every level of a broken name; that is known, and longer names would find nothing else.
const LONGEST: usize = 128;

fuzz_target!(|bytes: &[u8]| {
    crashlens_unwind::fuzzing::demangle(bytes.get(..LONGEST).unwrap_or(bytes));
});
