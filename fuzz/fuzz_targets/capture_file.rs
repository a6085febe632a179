//! A saved capture from a stranger.
#![no_main]

use crashlens_core::CaptureFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = CaptureFile::read(bytes);
    // Behind the packing, where mutations of packed bytes rarely get.
    if let Ok(file) = CaptureFile::read_unpacked(bytes) {
        // What was understood can be told again.
        let mut saved = Vec::new();
        file.write(&mut saved).expect("memory takes everything");
        assert_eq!(
            CaptureFile::read(&saved).expect("it was just written"),
            file
        );
    }
});
