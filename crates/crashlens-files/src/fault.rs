//! What a reader of a web of offsets meets: a fault of the file, or a failure to read it.

use std::io;

use crashlens_core::files::{FlawKind, NamedPart};

use crate::reading::Reading;

/// Something that is not as it must be.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: FlawKind,
    /// As a noun.
    pub(crate) part: NamedPart,
    pub(crate) at: Option<u64>,
    /// As a sentence without its end.
    pub(crate) detail: String,
}

/// Why a walk ended.
#[derive(Debug)]
pub(crate) enum Stop {
    Fault(Fault),
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Fault {
    pub(crate) fn malformed(
        part: impl Into<NamedPart>,
        at: impl Into<Option<u64>>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            kind: FlawKind::Malformed,
            part: part.into(),
            at: at.into(),
            detail: detail.into(),
        }
    }

    /// Of another kind.
    pub(crate) fn of_kind(self, kind: FlawKind) -> Self {
        Self { kind, ..self }
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Notes faults among the flaws of a file.
pub(crate) fn note(reading: &mut Reading<'_>, faults: impl IntoIterator<Item = Fault>) {
    for fault in faults {
        reading.flaw_at(fault.kind, fault.part, fault.at, fault.detail);
    }
}
