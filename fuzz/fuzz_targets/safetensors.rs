//! Files named `model.safetensors` that hold anything.
#![no_main]

use crashlens_files::fuzzing::examine_bytes;
use crashlens_files::{Options, Purpose};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for full in [false, true] {
        let options = Options {
            purpose: Purpose::Model,
            full,
            ..Options::default()
        };
        examine_bytes("model.safetensors", bytes, &options);
    }
});
