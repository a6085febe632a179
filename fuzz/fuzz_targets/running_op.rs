//! Memory in which kernels of TensorFlow are looked for.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_unwind::fuzzing::running_op(bytes));
