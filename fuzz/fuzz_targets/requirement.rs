//! A line of `Requires-Dist` in a package's metadata.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_core::fuzzing::requirement(bytes));
