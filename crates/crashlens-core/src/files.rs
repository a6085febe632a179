//! Facts of data files and models, what they mean for TensorFlow, and what is said of a whole set.
//!
//! A reader states what it saw of one file ([`FileFacts`]); rules judge it ([`crate::book`]); a [`Gathering`] puts the
//! findings of many files together within bounds, so that a million files need no more memory than a thousand.

mod census;
mod contents;
mod effect;
mod finding;
mod forecast;
mod format;
mod gathering;
mod holdings;
mod labels;
mod part;
mod seen;

use serde::{Deserialize, Serialize};

pub use census::{Census, Class, FeatureCensus, OddOnes, RangeCensus};
pub use contents::{
    Array, Contents, Feature, FeatureKind, Image, ModelFacts, Operation, Range, Records, Signature,
    Sound, Table, Tensor,
};
pub(crate) use effect::has_effect;
pub use effect::{Effect, EffectKind};
pub(crate) use finding::flawed;
pub use finding::{FileFinding, Setting};
pub use forecast::{Action, Forecast, Need, forecast};
pub use format::Format;
pub use gathering::{Gathering, hazards_of, is_about_set, judge};
pub use holdings::{Holdings, Unseen};
pub use labels::UncheckedLabels;
pub use part::{NamedPart, Part};

/// What was seen of one file, or of the files that make up one model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FileFacts {
    /// As it was asked for: a file, the folder of a SavedModel, the prefix of a checkpoint.
    pub path: String,
    /// Bytes of it, all parts together.
    pub size: u64,
    /// By its content; where that tells nothing, by its name.
    pub format: Option<Format>,
    /// How far it was read.
    pub extent: Extent,
    /// What is wrong with it.
    pub flaws: Vec<Flaw>,
    /// What it holds.
    pub contents: Contents,
}

impl FileFacts {
    /// The flaws of one kind.
    pub fn flaws_of(&self, kind: FlawKind) -> impl Iterator<Item = &Flaw> {
        self.flaws.iter().filter(move |flaw| flaw.kind == kind)
    }

    /// The model it holds.
    pub fn model(&self) -> Option<&ModelFacts> {
        match &self.contents {
            Contents::Model(model) => Some(model),
            _ => None,
        }
    }

    /// The arrays it holds.
    pub fn arrays(&self) -> &[Array] {
        match &self.contents {
            Contents::Arrays(arrays) => arrays,
            _ => &[],
        }
    }

    /// Its name without folders and ending: that of the one array in it.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Its name's ending in small letters, without the dot.
    pub fn extension(&self) -> Option<String> {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let (stem, extension) = name.rsplit_once('.')?;
        (!stem.is_empty()).then(|| extension.to_ascii_lowercase())
    }
}

word_enum! {
    /// How far a file was read.
    #[derive(Default)]
    pub enum Extent {
        /// Not at all: it cannot be opened, or no reader knows it.
        #[default]
        Nothing,
        /// Its structure and its checksums.
        Structure,
        /// All of it was decoded.
        Full,
    }
}

/// Something wrong with a file, as a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Flaw {
    /// Of what kind.
    pub kind: FlawKind,
    /// Where: `record 17`, `chunk IDAT`, `variables/variables.data-00000-of-00001`.
    #[serde(flatten)]
    pub part: NamedPart,
    /// Byte of the file, where one can be named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// What was seen, as a sentence without its end, numbers included: "it has 400 of 1032 bytes".
    pub detail: String,
}

word_enum! {
    /// Kinds of flaws. What they mean for TensorFlow stands in `data/effects`.
    pub enum FlawKind {
        /// Zero bytes, or a container with nothing in it.
        Empty,
        /// It ends before what it declares does.
        CutShort,
        /// A checksum that is stored is not that of the bytes.
        ChecksumMismatch,
        /// It breaks the rules of its format.
        Malformed,
        /// It breaks a rule of its format that some readers hold it against, and others pass over.
        Irregular,
        /// A part is damaged that its readers do not look at.
        IdlePart,
        /// Two of its parts contradict each other: shape and bytes, index and data.
        Contradiction,
        /// A length with a right checksum of its own that reaches far beyond the end.
        WildLength,
        /// It breaks a rule of its format, or uses it in a way, that readers let pass.
        Blemish,
        /// Bytes behind its end.
        TrailingBytes,
        /// A valid variant that TensorFlow's reader does not take.
        Unsupported,
        /// It is valid, and TensorFlow's reader corrupts its memory over it.
        BreaksReader,
        /// What it declares is above the limits: it was not decoded.
        TooLarge,
        /// Something else lies in its place: a pointer of Git LFS, a web page.
        StandIn,
        /// Its content is not what its name says.
        Misnamed,
        /// A part that another part names is not there.
        MissingPart,
        /// What a save that was interrupted leaves behind.
        Leftover,
        /// NaN or infinity among its numbers.
        NotFinite,
        /// It changed while it was read.
        Changed,
        /// Another process has it open for writing.
        OpenForWriting,
        /// Its hash is not that of the manifest.
        OffManifest,
        /// The manifest has no hash of it.
        Unlisted,
        /// The manifest lists it, and it is not there.
        Missing,
        /// Its bytes are those of another file of the set.
        Duplicate,
        /// The operating system refused to read it.
        Unreadable,
        /// Reading took longer than allowed.
        TimedOut,
        /// A decoder of crashlens gave up in a way it must not: a bug of ours.
        ReaderFailed,
    }
}
