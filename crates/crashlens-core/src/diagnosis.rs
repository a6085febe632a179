//! From facts to a diagnosis: every rule is asked, its evidence weighed, and the answers ranked.
//!
//! The only place where rules are compared and where evidence becomes confidence. Rules are asked once for a death, which
//! gives a [`Judgement`]; what is found in the environment of the process may be known later, and is an input to what is
//! concluded from that.

mod environment;

use serde::{Deserialize, Serialize};

use crate::book::{self, Rule};
use crate::cause::{Cause, Depth};
use crate::evidence::{Directness, Evidence, FactRef, Stance, Weight};
use crate::facts::Facts;
use crate::remedy::fit_to_system;
use crate::rule::{Remedy, Suspicion};

pub(crate) use environment::Environment;
pub use environment::HazardRef;

/// More than this a person does not read at three in the morning.
const MOST_FINDINGS: usize = 3;

/// What is concluded from the facts of one death.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Diagnosis {
    /// Causes, the best supported first; at most three. Empty only for a process that has not died.
    pub findings: Vec<Finding>,
    /// Causes that looked likely and are excluded by a fact.
    pub ruled_out: Vec<RuledOut>,
    /// Hazards of the environment that are related to the death, where that was looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hazards: Vec<HazardRef>,
}

/// One cause, and why it is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Finding {
    /// The rule's id: `crashlens rules ID` shows its page.
    pub rule: String,
    /// The rule's name.
    pub name: String,
    /// The cause.
    pub cause: Cause,
    /// How sure it is.
    pub confidence: Confidence,
    /// The cause in a sentence.
    pub headline: String,
    /// What speaks for it, the strongest first, and then what speaks against it.
    pub evidence: Vec<Evidence>,
    /// What to do, the riskless first.
    pub remedies: Vec<Remedy>,
    /// What could not be looked at and might tell of a cause behind this one: the finding is not certain for that alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<String>,
}

/// A cause that looked likely and is excluded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RuledOut {
    /// The rule's id.
    pub rule: String,
    /// The rule's name.
    pub name: String,
    /// The cause.
    pub cause: Cause,
    /// Why it was thought of, and why it is excluded.
    pub evidence: Vec<Evidence>,
}

word_enum! {
    /// How sure a finding is.
    pub enum Confidence {
        /// It may be.
        Possible,
        /// It is most likely so.
        Likely,
        /// A fact proves it.
        Certain,
    }
}

/// What the rules make of one death, before anything is known of its environment.
#[derive(Debug)]
pub struct Judgement(Diagnosis);

impl Judgement {
    /// Asks every rule. The facts are used up: a death is judged once.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "judging twice would need facts twice"
    )]
    pub fn of(facts: Facts<'_>) -> Self {
        Self(diagnose(&facts))
    }

    /// What is concluded, with what was found in the environment where that was looked at.
    pub(crate) fn conclude(&self, environment: Option<&Environment<'_>>) -> Diagnosis {
        let mut diagnosis = self.0.clone();
        if let Some(environment) = environment {
            environment.join(&mut diagnosis);
        }
        diagnosis
    }
}

/// Asks every rule.
pub(crate) fn diagnose(facts: &Facts<'_>) -> Diagnosis {
    if facts.capture().ending.kind.is_alive() {
        return Diagnosis::default();
    }
    let mut diagnosis = Diagnosis::default();
    for rule in book::all() {
        if let Some(suspicion) = rule.suspect(facts) {
            diagnosis.take(rule, suspicion, facts);
        }
    }
    diagnosis
        .findings
        .sort_by_key(|finding| std::cmp::Reverse(rank(finding)));
    // "We do not know" is no second opinion.
    let is_explained = diagnosis
        .findings
        .first()
        .is_some_and(|first| first.cause.depth() != Depth::Nothing);
    let mut causes = Vec::new();
    diagnosis.findings.retain(|finding| {
        if is_explained && finding.cause.depth() == Depth::Nothing {
            return false;
        }
        let is_new = !causes.contains(&finding.cause);
        causes.push(finding.cause);
        is_new
    });
    diagnosis.findings.truncate(MOST_FINDINGS);
    if let Some(first) = diagnosis.findings.first_mut() {
        facts.known_issues().attach(facts, first);
    }
    if let Some(system) = facts.capture().host.system.known() {
        for finding in &mut diagnosis.findings {
            fit_to_system(&mut finding.remedies, *system);
        }
    }
    diagnosis
}

impl Diagnosis {
    fn take(&mut self, rule: &Rule, suspicion: Suspicion, facts: &Facts<'_>) {
        let Suspicion {
            cause,
            headline,
            mut evidence,
            mut remedies,
        } = suspicion;
        if facts.words_may_be_anothers() {
            for heard in &mut evidence {
                hear_from_afar(heard, facts);
            }
        }
        evidence.sort_by_key(|evidence| {
            (
                evidence.stance == Stance::Against,
                std::cmp::Reverse(evidence.weight),
            )
        });
        let (rule, name) = (rule.id.to_owned(), rule.name.to_owned());
        match weigh(&evidence) {
            Some(confidence) => {
                remedies.sort_by_key(|remedy| remedy.risk);
                // A null pointer is one whatever brought it about; to be certain that nothing did, one must have looked.
                let may_hide =
                    cause.depth() == Depth::Mechanism && confidence == Confidence::Certain;
                let unseen = if may_hide {
                    facts.unseen(cause)
                } else {
                    Vec::new()
                };
                self.findings.push(Finding {
                    rule,
                    name,
                    cause,
                    confidence: if unseen.is_empty() {
                        confidence
                    } else {
                        Confidence::Likely
                    },
                    headline,
                    evidence,
                    remedies,
                    unseen,
                });
            }
            None => self.ruled_out.push(RuledOut {
                rule,
                name,
                cause,
                evidence,
            }),
        }
    }
}

/// Words on a standard error that other processes write to as well are no proof of what this one died of.
fn hear_from_afar(evidence: &mut Evidence, facts: &Facts<'_>) {
    let is_heard = match &evidence.fact {
        FactRef::StderrLine { .. } => true,
        // What was read from memory is the process's own.
        FactRef::Message { index } => {
            let message = facts.messages().get(*index);
            message.is_some_and(|message| message.line.is_some())
        }
        _ => false,
    };
    if is_heard && evidence.stance == Stance::For {
        evidence.weight = evidence.weight.min(Weight::Strong);
    }
}

/// How sure evidence makes a cause; `None` where it is excluded or nothing speaks for it.
pub fn weigh(evidence: &[Evidence]) -> Option<Confidence> {
    let most = |stance| {
        let of_stance = evidence.iter().filter(|it| it.stance == stance);
        of_stance.map(|it| it.weight).max()
    };
    match (most(Stance::For)?, most(Stance::Against)) {
        (_, Some(Weight::Decisive)) | (Weight::Weak, Some(Weight::Strong)) => None,
        (Weight::Decisive, None | Some(Weight::Weak)) => Some(Confidence::Certain),
        (Weight::Decisive, Some(Weight::Strong)) | (Weight::Strong, None | Some(Weight::Weak)) => {
            Some(Confidence::Likely)
        }
        (Weight::Strong, Some(Weight::Strong)) | (Weight::Weak, None | Some(Weight::Weak)) => {
            Some(Confidence::Possible)
        }
    }
}

/// What comes first: the origin before the mechanism it worked by, "we do not know" before what is only possible;
/// within these the surer, and then what the process or the system said before what was only seen.
fn rank(finding: &Finding) -> (u8, Confidence, Directness) {
    let is_sure = finding.confidence >= Confidence::Likely;
    let class = match (finding.cause.depth(), is_sure) {
        (Depth::Origin, true) => 4,
        (Depth::Mechanism, true) => 3,
        (Depth::Nothing, _) => 2,
        (Depth::Origin | Depth::Mechanism, false) => 1,
    };
    let supporting = finding
        .evidence
        .iter()
        .filter(|it| it.stance == Stance::For);
    let strongest = supporting.clone().map(|it| it.weight).max();
    let directness = supporting
        .filter(|it| Some(it.weight) == strongest)
        .map(|it| it.fact.directness())
        .max();
    (
        class,
        finding.confidence,
        directness.unwrap_or(Directness::Signal),
    )
}

#[cfg(test)]
#[path = "diagnosis/blinded.rs"]
mod blinded;
#[cfg(test)]
#[path = "diagnosis/tests.rs"]
mod tests;

#[cfg(test)]
#[path = "diagnosis/recorded.rs"]
mod recorded;
