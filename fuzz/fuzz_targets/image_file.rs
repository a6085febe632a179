//! An image of any format, walked or decoded.
#![no_main]

use crashlens_core::files::FlawKind;
use crashlens_files::fuzzing::examine_bytes;
use crashlens_files::{Limits, Options};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 6] = ["a.jpg", "a.png", "a.gif", "a.bmp", "a.webp", "a.tif"];

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, image)) = bytes.split_first() else {
        return;
    };
    let options = Options {
        full: first & 0x80 != 0,
        limits: Limits {
            // A fuzzer would spend its time on filling large images.
            pixels: 1 << 20,
            ..Limits::default()
        },
        ..Options::default()
    };
    let name = NAMES[usize::from(first & 0x7F) % NAMES.len()];
    let facts = examine_bytes(name, image, &options);
    let failed = facts
        .flaws
        .iter()
        .find(|flaw| flaw.kind == FlawKind::ReaderFailed);
    assert_eq!(failed, None);
});
