//! What a rule about deaths says: what it suspects, on what evidence, and what to do about it.

use serde::{Deserialize, Serialize};

use crate::cause::Cause;
use crate::evidence::{Evidence, FactRef, Weight};

/// What a rule makes of the facts. How much to believe of it is decided by [`crate::diagnosis::weigh`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspicion {
    pub(crate) cause: Cause,
    pub(crate) headline: String,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) remedies: Vec<Remedy>,
}

impl Suspicion {
    /// A suspicion that nothing speaks for yet. The headline is a sentence that says why, not what, without its end.
    pub fn new(cause: Cause, headline: impl Into<String>) -> Self {
        Self {
            cause,
            headline: headline.into(),
            evidence: Vec::new(),
            remedies: Vec::new(),
        }
    }

    /// With evidence for it.
    #[must_use]
    pub fn supported(mut self, weight: Weight, fact: FactRef, claim: impl Into<String>) -> Self {
        self.evidence.push(Evidence::supports(weight, fact, claim));
        self
    }

    /// With evidence against it.
    #[must_use]
    pub fn opposed(mut self, weight: Weight, fact: FactRef, claim: impl Into<String>) -> Self {
        self.evidence.push(Evidence::opposes(weight, fact, claim));
        self
    }

    /// With something to do about it. The riskless comes first, whatever the order here.
    #[must_use]
    pub fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedies.push(remedy);
        self
    }
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Remedy {
    /// What, as an imperative sentence.
    pub action: String,
    /// The command that does it, where there is one.
    #[serde(default)]
    pub command: Option<String>,
    /// What it may spoil.
    pub risk: Risk,
}

impl Remedy {
    /// Something that spoils nothing.
    pub fn new(action: impl Into<String>) -> Self {
        Self {
            action: action.into(),
            command: None,
            risk: Risk::None,
        }
    }

    /// With the command that does it.
    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }

    /// With a command that foreign text is part of, where that text can be part of one.
    #[must_use]
    pub fn command_if(mut self, command: Option<String>) -> Self {
        self.command = command;
        self
    }

    /// With what it may spoil.
    #[must_use]
    pub fn risk(mut self, risk: Risk) -> Self {
        self.risk = risk;
        self
    }
}

/// What a remedy may spoil, least first.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// Nothing.
    None,
    /// Installed packages or settings of the machine change.
    Environment,
    /// Results of the program may be wrong or lost.
    Results,
}
