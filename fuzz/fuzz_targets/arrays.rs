//! Arrays and tensors whose memory holds anything.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_unwind::fuzzing::arrays(bytes));
