//! Advisories in the OSV format that a person gives.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_core::fuzzing::osv(bytes));
