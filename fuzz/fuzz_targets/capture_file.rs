//! A saved capture from a stranger.
#![no_main]

use crashlens_core::CaptureFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = CaptureFile::read(bytes);
    // Behind the packing, where mutations of packed bytes rarely get.
    let _ = CaptureFile::read_unpacked(bytes);
});
