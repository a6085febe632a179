//! What a scan notices of a file without looking into it.

use crashlens_core::files::{Flaw, FlawKind};

/// A flaw of the file as a whole.
pub(super) fn flaw(kind: FlawKind, detail: impl Into<String>) -> Flaw {
    Flaw {
        kind,
        part: "the file".to_owned(),
        at: None,
        detail: detail.into(),
    }
}
