//! `/etc/ld.so.cache`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_inspect::fuzzing::library_cache(bytes));
