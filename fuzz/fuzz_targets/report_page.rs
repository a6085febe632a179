//! A page of HTML with a report in it, from a stranger.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_core::fuzzing::report_page(bytes));
