//! NumPy arrays and archives of them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_files::fuzzing::numpy_files(bytes));
