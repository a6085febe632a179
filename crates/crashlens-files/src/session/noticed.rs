//! What a scan notices of a file without looking into it.

use crashlens_core::files::{Flaw, FlawKind, Part};

/// A flaw of the file as a whole.
pub(super) fn flaw(kind: FlawKind, detail: impl Into<String>) -> Flaw {
    Flaw {
        kind,
        part: Part::File.into(),
        at: None,
        detail: detail.into(),
    }
}
