//! `Facts`: the view of a death that rules are given, and the questions they may ask of it.
//!
//! Everything here is derived from the capture alone. An answer of `None` means that nothing of the kind is known,
//! never that it is known not to be so; where the difference matters, the capture's `Observed` tells.

mod arguments;
pub(crate) mod arrays;
mod circumstances;
pub(crate) mod fault;
pub(crate) mod foreign;
mod install;
mod leaving;
mod output;
pub(crate) mod packages;
mod recursion;
mod stack;
mod values;

use crate::capture::{CaptureSource, CrashCapture, Lineage, Message, Phase, Signal};
use crate::cause::Cause;
use crate::culprit::Culprit;
use crate::known_issues::KnownIssues;
pub(crate) use crate::text::bytes;
use crate::{lineage, messages, phase};

pub use arguments::{Argument, Oddity};
pub use arrays::StrayArray;
pub(crate) use circumstances::{XCPU, XFSZ, excerpt, is_progress};
pub use foreign::BadArgument;
pub use output::Sighting;
pub use packages::Installed;
pub use recursion::Recursion;
pub use stack::NativeSight;
pub use values::LocalSight;

/// In the names of the libraries that a process has loaded if it uses a GPU.
const GPU_LIBRARIES: [&str; 3] = ["libcuda", "libcudnn", "libcublas"];

/// What is known of one death.
#[derive(Debug)]
pub struct Facts<'a> {
    capture: &'a CrashCapture,
    culprit: Culprit,
    messages: Vec<Message>,
    phase: Option<Phase>,
    lineage: Option<Lineage>,
    sightings: Vec<Sighting<'a>>,
    known_issues: &'a KnownIssues,
}

impl<'a> Facts<'a> {
    /// Derives what the rules ask for.
    pub fn new(capture: &'a CrashCapture, known_issues: &'a KnownIssues) -> Self {
        Self {
            capture,
            culprit: Culprit::choose(capture),
            messages: messages::of(capture),
            phase: phase::of(capture),
            lineage: lineage::of(capture),
            sightings: output::sightings(capture),
            known_issues,
        }
    }

    /// The facts themselves.
    pub fn capture(&self) -> &'a CrashCapture {
        self.capture
    }

    /// Whose code it was.
    pub fn culprit(&self) -> &Culprit {
        &self.culprit
    }

    /// What the process, its libraries and the interpreter said about the end.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What the program was busy with.
    pub fn phase(&self) -> Option<&Phase> {
        self.phase.as_ref()
    }

    /// Where the process came from.
    pub fn lineage(&self) -> Option<&Lineage> {
        self.lineage.as_ref()
    }

    /// Defects of published versions.
    pub fn known_issues(&self) -> &'a KnownIssues {
        self.known_issues
    }

    /// The signal that explains the death.
    pub fn signal(&self) -> Option<Signal> {
        self.capture.ending.signal
    }

    /// Whether the facts come from text that a person had.
    pub fn is_text(&self) -> bool {
        self.capture.source == CaptureSource::Text
    }

    /// What was not looked at and might show what brought the `mechanism` about. Text is not asked for what it never has.
    pub fn unseen(&self, mechanism: Cause) -> Vec<String> {
        let capture = self.capture;
        if self.is_text() {
            return Vec::new();
        }
        let parts = [
            (
                capture.testimony.exception.is_unknown(),
                "C++ exceptions in flight",
            ),
            (
                capture.testimony.errno.is_unknown(),
                "why the last call failed (errno)",
            ),
            (
                capture.circumstances.resources.is_unknown(),
                "the use of limits",
            ),
            (
                capture.output.stderr.is_unknown() && self.may_have_been_announced(mechanism),
                "standard error",
            ),
            (capture.modules.is_unknown(), "the loaded libraries"),
        ];
        parts
            .into_iter()
            .filter(|(is_unseen, _)| *is_unseen)
            .map(|(_, part)| part.to_owned())
            .collect()
    }

    /// Whether what led to the mechanism is at times written to standard error and seen nowhere else: a module that was
    /// built for another NumPy complains at its import, and a null pointer follows; GPU libraries complain before a check
    /// fails. A full stack or a division by zero needs no explanation from elsewhere.
    fn may_have_been_announced(&self, mechanism: Cause) -> bool {
        match mechanism {
            Cause::StackOverflow
            | Cause::EscapedException
            | Cause::DivisionByZero
            | Cause::IllegalInstruction => false,
            Cause::CheckFailure => {
                self.capture.modules.is_unknown()
                    || GPU_LIBRARIES
                        .iter()
                        .any(|name| self.modules_named(name).next().is_some())
            }
            _ => true,
        }
    }

    /// Whether `signal` explains the death.
    pub fn died_of(&self, signal: Signal) -> bool {
        self.signal() == Some(signal)
    }
}
