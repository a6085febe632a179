//! What rules about files find, and what the files are checked against.

use pep440_rs::Version;
use serde::{Deserialize, Serialize};

use super::effect::{effects_of, severity_for};
use super::{Effect, EffectKind, FileFacts, Flaw, FlawKind, NamedPart};
use crate::cause::Cause;
use crate::hazard::Severity;
use crate::rule::Remedy;
use crate::survey::Survey;

/// What the files are checked against.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// The environment that is to read them, where one was asked for.
    pub environment: Option<Survey>,
    /// Memory that is left to a process here, in bytes, where that is known.
    pub memory: Option<u64>,
    /// How many classes the labels have, where that was told.
    pub classes: Option<u64>,
    /// The feature or array that holds the labels, where that was told.
    pub labels: Option<String>,
    /// Whether the files are compared with a manifest.
    pub manifest: bool,
}

impl Setting {
    /// The TensorFlow that is to read the files, where that is known.
    pub fn tensorflow(&self) -> Option<Version> {
        self.environment.as_ref()?.tensorflow()?.parsed_version()
    }
}

/// What a rule found in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileFinding {
    /// Id of the rule; set by the judge.
    pub rule: String,
    /// Its name.
    pub name: String,
    /// How bad it is.
    pub severity: Severity,
    /// The cause of death that it may be.
    pub cause: Cause,
    /// Where in the file.
    #[serde(flatten)]
    pub part: NamedPart,
    /// Byte of the file, where one can be named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// What was seen, as a sentence without its end.
    pub detail: String,
    /// What TensorFlow does with it, the worst first.
    pub effects: Vec<Effect>,
    /// What to do, the riskless first.
    pub remedies: Vec<Remedy>,
}

impl FileFinding {
    /// A finding that rests on a flaw; what TensorFlow does with it is looked up.
    pub fn of_flaw(facts: &FileFacts, flaw: &Flaw, setting: &Setting) -> Self {
        let effects = effects_of(facts.format, flaw);
        let severity = severity_for(&effects, setting.tensorflow().as_ref());
        Self {
            part: flaw.part.clone(),
            at: flaw.at,
            effects,
            ..Self::new(severity, flaw.detail.clone())
        }
    }

    /// A finding that rests on what the file holds.
    pub fn new(severity: Severity, detail: impl Into<String>) -> Self {
        Self {
            rule: String::new(),
            name: String::new(),
            severity,
            cause: Cause::CorruptDataFile,
            part: NamedPart::default(),
            at: None,
            detail: detail.into(),
            effects: Vec::new(),
            remedies: Vec::new(),
        }
    }

    /// With where in the file.
    #[must_use]
    pub fn part(mut self, part: impl Into<NamedPart>) -> Self {
        self.part = part.into();
        self
    }

    /// With what TensorFlow does.
    #[must_use]
    pub fn effect(mut self, does: EffectKind, versions: &[&str], seen: &str) -> Self {
        self.effects.push(Effect {
            does,
            versions: versions.iter().map(ToString::to_string).collect(),
            seen: seen.to_owned(),
            formats: Vec::new(),
        });
        self
    }

    /// With something to do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedies.push(remedy);
        self
    }
}

/// A finding for every flaw of a kind, with what to do about each.
pub(crate) fn flawed(
    facts: &FileFacts,
    setting: &Setting,
    kind: FlawKind,
    remedies: impl Fn(&Flaw) -> Vec<Remedy>,
) -> Vec<FileFinding> {
    facts
        .flaws_of(kind)
        .map(|flaw| FileFinding {
            remedies: remedies(flaw),
            ..FileFinding::of_flaw(facts, flaw, setting)
        })
        .collect()
}
