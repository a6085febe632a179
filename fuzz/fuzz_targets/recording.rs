//! A recording whose memory, registers and symbols say anything: the whole unwinder runs on it.
#![no_main]

use crashlens_core::Gaps;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = crashlens_unwind::replay(bytes, &mut Gaps::default());
});
