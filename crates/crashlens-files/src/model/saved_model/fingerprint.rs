//! `fingerprint.pb`: hashes of the parts that were saved together.
//!
//! TensorFlow writes it since 2.11 and never compares it when it loads. What is compared here is the hash of the index
//! of the variables, which is `FarmHash` of the file; those over messages depend on how they are written.

use crashlens_core::files::{FlawKind, Part};

use super::super::farm_hash;
use crate::model::parts::{Parts, join};
use crate::wire::{Fields, Value};

/// It is a few numbers.
const LONGEST: usize = 64 * 1024;
/// Field of the hash of `variables/variables.index`.
const CHECKPOINT: u32 = 5;

pub(super) fn read(parts: &mut Parts<'_>, place: &str) {
    let path = join(place, "fingerprint.pb");
    if !parts.store.exists(&path) {
        return;
    }
    let bytes = parts
        .open(&path)
        .and_then(|mut source| source.bytes_at(0, LONGEST));
    let Some(saved) = bytes.ok().and_then(|bytes| hash_in(&bytes)) else {
        return;
    };
    let index = join(place, "variables/variables.index");
    let most = parts.options.limits.memory;
    let Ok(mut source) = parts.store.open(&index) else {
        return;
    };
    if source.size() == 0 || source.size() > most {
        return;
    }
    let Ok(bytes) = source.bytes_at(0, source.size() as usize) else {
        return;
    };
    // A damaged index has told so itself.
    let is_damaged = parts
        .facts
        .flaws
        .iter()
        .any(|flaw| flaw.part.id == Part::CheckpointIndex);
    if farm_hash::hash(&bytes) != saved && !is_damaged {
        let detail = "variables/variables.index is not the one that was saved with this graph: the variables are of \
                      another save, as when a save over an old model was killed, or files were copied one by one; or this file \
                      itself is damaged";
        parts.flaw(FlawKind::Leftover, Part::Fingerprint, None, detail);
    }
}

/// The hash, where the file is whole.
fn hash_in(bytes: &[u8]) -> Option<u64> {
    let mut hash = None;
    for field in Fields::of(bytes) {
        let field = field.ok()?;
        if let (CHECKPOINT, Value::Varint(number)) = (field.number, field.value) {
            hash = Some(number);
        }
    }
    hash
}
