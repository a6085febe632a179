//! The kernel's text about a process, and the program's own last words.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_trace::fuzzing::process_text(bytes));
