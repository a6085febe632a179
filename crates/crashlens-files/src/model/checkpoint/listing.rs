//! The tensors of a checkpoint as facts, and the bytes that none of them has.

use crashlens_core::files::{FlawKind, NamedPart, Tensor};

use super::entry::Entry;
use super::values::CHUNK;
use crate::model::dtype;
use crate::model::parts::Parts;
use crate::source::Source;

/// So many tensors are listed.
pub(in crate::model) const MOST_TENSORS: usize = 100_000;

/// Lists tensors whose values could not be read.
pub(super) fn list_all(parts: &mut Parts<'_>, entries: &[Entry]) {
    for entry in entries {
        list(parts, entry, 0);
    }
}

/// Lists a tensor of the model.
pub(super) fn list(parts: &mut Parts<'_>, entry: &Entry, not_finite: u64) {
    // A tensor in slices is listed whole, with its slices' NaN found on the way.
    if entry.is_slice && not_finite == 0 {
        return;
    }
    if parts.model.tensors.len() < MOST_TENSORS {
        parts.model.tensors.push(Tensor {
            name: entry.name.clone(),
            dtype: dtype::name(entry.dtype),
            shape: entry
                .shape
                .iter()
                .map(|size| (*size).max(0) as u64)
                .collect(),
            bytes: bytes_of(entry),
            not_finite,
        });
    }
}

fn bytes_of(entry: &Entry) -> u64 {
    if entry.is_slice {
        return 0;
    }
    if entry.slices == 0 {
        return u64::try_from(entry.size).unwrap_or(0);
    }
    let elements = dtype::elements(&entry.shape).unwrap_or(0);
    elements.saturating_mul(dtype::size(entry.dtype).unwrap_or(0))
}

/// Bytes that no tensor has; the zeros that align the next file do not count.
pub(super) fn trailing(parts: &mut Parts<'_>, part: &NamedPart, source: &mut Source, end: u64) {
    let behind = source.size().saturating_sub(end);
    if behind == 0 {
        return;
    }
    let bytes = source.bytes_at(end, CHUNK).unwrap_or_default();
    if behind > CHUNK as u64 || bytes.iter().any(|byte| *byte != 0) {
        let detail = format!("{behind} bytes follow the last tensor");
        parts.flaw(FlawKind::TrailingBytes, part, end, detail);
    }
}
