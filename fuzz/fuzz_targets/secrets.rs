//! Text of which secrets are masked.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_core::fuzzing::secrets(bytes));
