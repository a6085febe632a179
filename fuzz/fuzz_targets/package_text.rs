//! The texts in which an interpreter or a package tells about itself.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_inspect::fuzzing::package_text(bytes));
