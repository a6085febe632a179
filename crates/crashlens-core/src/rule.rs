//! What a rule about deaths says: what it suspects, on what evidence, and what to do about it.

use crate::cause::Cause;
use crate::evidence::{Evidence, FactRef, Weight};

pub use crate::remedy::{Remedy, Risk};

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
