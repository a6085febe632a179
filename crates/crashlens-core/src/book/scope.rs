//! Which files a rule looks at.

use crate::files::{Extent, FileFacts, FlawKind, Format, Setting, has_effect};

/// Which files a rule looks at.
#[derive(Debug, Clone, Copy)]
pub enum Scope {
    /// All, whether or not they could be read.
    All,
    /// Those of formats in which a flaw of this kind is known.
    Flaws(FlawKind),
    /// The values of data, in formats that hold floating-point numbers.
    Values,
    /// The values of models and weights.
    Weights,
    /// Those that a manifest was compared with.
    Listed,
    /// Models of these formats.
    ModelsOf(&'static [Format]),
    /// Models, and the memory that is left for them.
    ModelsInMemory,
}

/// What a rule can see of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// It looks at other files.
    Outside,
    /// All that it asks for.
    Seen,
    /// It is one of its files, but what it asks for is not known.
    Unseen(Unseen),
}

/// What a rule could not look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unseen {
    File,
    Values,
    Memory,
}

impl Scope {
    /// What the rule can see of a file.
    pub(crate) fn sight(self, facts: &FileFacts, setting: &Setting) -> Sight {
        let is_read = facts.extent != Extent::Nothing;
        let is_full = facts.extent == Extent::Full;
        let is_model = is_read && facts.model().is_some();
        let knows = |kind| facts.format.is_some_and(|format| has_effect(format, kind));
        let (is_ours, lacks) = match self {
            Self::All => (true, None),
            Self::Flaws(kind) => (knows(kind), (!is_read).then_some(Unseen::File)),
            Self::Values => {
                let is_data = !is_model && knows(FlawKind::NotFinite);
                (is_data, (!is_full).then_some(Unseen::Values))
            }
            Self::Weights => (is_model, (!is_full).then_some(Unseen::Values)),
            Self::Listed => (setting.manifest, None),
            Self::ModelsOf(formats) => {
                let is_one = facts.format.is_some_and(|format| formats.contains(&format));
                (is_model && is_one, None)
            }
            Self::ModelsInMemory => {
                let is_unknown = setting.memory.is_none();
                (is_model, is_unknown.then_some(Unseen::Memory))
            }
        };
        match lacks {
            _ if !is_ours => Sight::Outside,
            None => Sight::Seen,
            Some(lacks) => Sight::Unseen(lacks),
        }
    }
}

impl Unseen {
    /// What to say of the files of which it was not seen.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::File => "not read",
            Self::Values => "not all values were read",
            Self::Memory => "it is not known how much memory is left",
        }
    }
}
