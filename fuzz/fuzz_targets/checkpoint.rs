//! The index and the data of a checkpoint; the first two bytes say where one ends and the other begins.
#![no_main]

use crashlens_files::{Options, Purpose, fuzzing::examine_files};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((head, rest)) = bytes.split_first_chunk::<2>() else {
        return;
    };
    let length = usize::from(u16::from_le_bytes(*head)).min(rest.len());
    let (index, data) = rest.split_at(length);
    let options = Options {
        purpose: Purpose::Model,
        full: true,
        ..Options::default()
    };
    let files = [("ck.index", index), ("ck.data-00000-of-00001", data), ("checkpoint", data)];
    examine_files(&files, "ck", &options);
    examine_files(&files, "checkpoint", &options);
});
