//! A frozen graph.
#![no_main]

use crashlens_files::{Options, Purpose, fuzzing::examine_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let options = Options {
        purpose: Purpose::Model,
        full: true,
        ..Options::default()
    };
    examine_bytes("f.pb", bytes, &options);
});
