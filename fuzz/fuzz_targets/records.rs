//! TFRecord files, plain and compressed, and the examples in them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_files::fuzzing::records(bytes));
