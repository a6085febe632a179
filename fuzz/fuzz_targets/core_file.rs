//! A core file from a stranger.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_unwind::fuzzing::core_file(bytes));
