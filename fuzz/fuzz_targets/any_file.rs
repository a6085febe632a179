//! A file of any format, as data or as a model.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_files::fuzzing::any_file(bytes));
