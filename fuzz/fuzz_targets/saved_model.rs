//! The graph of a SavedModel, beside sound variables; the same bytes are its fingerprint.
#![no_main]

use crashlens_files::{Options, Purpose, fuzzing::examine_files};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let options = Options {
        purpose: Purpose::Model,
        full: true,
        ..Options::default()
    };
    let index: &[u8] = include_bytes!(
        "../../crates/crashlens-files/fixtures/saved_model/variables/variables.index"
    );
    let data: &[u8] = include_bytes!(
        "../../crates/crashlens-files/fixtures/saved_model/variables/variables.data-00000-of-00001"
    );
    let files = [
        ("m/saved_model.pb", bytes),
        ("m/fingerprint.pb", bytes),
        ("m/variables/variables.index", index),
        ("m/variables/variables.data-00000-of-00001", data),
    ];
    examine_files(&files, "m", &options);
});
