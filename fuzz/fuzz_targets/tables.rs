//! Comma-separated text.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_files::fuzzing::tables(bytes));
