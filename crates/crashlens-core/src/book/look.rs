//! What a check looked at, and what it found there.

use super::Rule;
use crate::capture::{Gaps, Observed};
use crate::hazard::Hazard;
use crate::inspection::Check;

/// What one rule saw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// What was looked at, with numbers: "212 native files". Empty where there was nothing to look at.
    pub(crate) scope: String,
    /// What could not be looked at, in words.
    pub(crate) blind: Vec<String>,
    pub(crate) findings: Vec<Hazard>,
}

impl Look {
    /// At what, with numbers: "212 native files".
    pub fn at(scope: impl Into<String>) -> Self {
        Self {
            scope: scope.into(),
            ..Self::default()
        }
    }

    /// There was nothing to look at: no TensorFlow, no GPU.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// With a hazard.
    #[must_use]
    pub fn found(mut self, hazard: Hazard) -> Self {
        self.findings.push(hazard);
        self
    }

    /// With several.
    #[must_use]
    pub fn found_all(mut self, hazards: impl IntoIterator<Item = Hazard>) -> Self {
        self.findings.extend(hazards);
        self
    }

    /// As reports have it.
    pub(crate) fn as_check(&self, rule: &Rule) -> Check {
        Check {
            rule: rule.id.to_owned(),
            name: rule.name.to_owned(),
            asks: rule.summary.to_owned(),
            scope: self.scope.clone(),
            found: self.findings.len() as u64,
            blind: self.blind.clone(),
        }
    }

    /// With something that could not be looked at; "nothing found" is then not claimed.
    #[must_use]
    pub fn blind_to<T>(mut self, part: &str, observed: &Observed<T>, gaps: &Gaps) -> Self {
        if let Observed::Unknown(id) = observed {
            let reason = gaps.0.get(id.0).map_or("not looked at", |gap| &gap.reason);
            self.blind.push(format!("{part}: {reason}"));
        }
        self
    }
}
