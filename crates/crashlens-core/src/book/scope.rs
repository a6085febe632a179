//! Which files a rule looks at.

use crate::files::{Extent, FileFacts, FlawKind, Format, Setting, has_effect};

/// Which files a rule looks at.
#[derive(Debug, Clone, Copy)]
pub enum Scope {
    /// All, whether or not they could be read.
    All,
    /// Those of formats in which a flaw of this kind is known.
    Flaws(FlawKind),
    /// Data whose values were all read, in formats that hold floating-point numbers.
    Values,
    /// Models and weights whose values were all read.
    Weights,
    /// Those that a manifest was compared with.
    Listed,
    /// Models of these formats.
    ModelsOf(&'static [Format]),
    /// Models, where it is known how much memory is left.
    ModelsInMemory,
}

impl Scope {
    /// Whether the rule looks at a file.
    pub(crate) fn has(self, facts: &FileFacts, setting: &Setting) -> bool {
        let is_read = facts.extent != Extent::Nothing;
        let is_model = is_read && facts.model().is_some();
        let knows = |kind| facts.format.is_some_and(|format| has_effect(format, kind));
        match self {
            Self::All => true,
            Self::Flaws(kind) => is_read && knows(kind),
            Self::Values => !is_model && facts.extent == Extent::Full && knows(FlawKind::NotFinite),
            Self::Weights => is_model && facts.extent == Extent::Full,
            Self::Listed => setting.manifest,
            Self::ModelsOf(formats) => {
                is_model && facts.format.is_some_and(|format| formats.contains(&format))
            }
            Self::ModelsInMemory => is_model && setting.memory.is_some(),
        }
    }
}
