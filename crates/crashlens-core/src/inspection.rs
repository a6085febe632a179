//! `Inspection`: what a check found, as reports have it.

use serde::{Deserialize, Serialize};

use crate::capture::Gap;
use crate::hazard::{Hazard, HazardRule, Severity};
use crate::hazards;
use crate::survey::Survey;

/// What one check looked at and found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Inspection {
    /// What kind of thing was looked at.
    pub kind: InspectionKind,
    /// Which: the path of the interpreter.
    pub subject: String,
    /// What was seen of it at first sight, in the order it is told: interpreter, TensorFlow, counts.
    pub overview: Vec<(String, String)>,
    /// What was found, the worst first.
    pub findings: Vec<Hazard>,
    /// Every check that was made.
    pub checks: Vec<Check>,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
}

/// What kind of thing was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InspectionKind {
    /// A Python environment and the machine.
    Environment,
}

/// One check that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Check {
    /// Id of the rule.
    pub rule: String,
    /// Its name.
    pub name: String,
    /// What it looks for.
    pub asks: String,
    /// What was looked at, with numbers; empty where there was nothing to look at.
    pub scope: String,
    /// How many hazards it found.
    pub found: u64,
    /// What it could not look at.
    pub blind: Vec<String>,
}

/// Judges a survey by every rule.
pub fn inspect(survey: &Survey) -> Inspection {
    let mut findings = Vec::new();
    let mut checks = Vec::new();
    for rule in hazards::all() {
        let look = (rule.judge)(survey);
        checks.push(Check {
            rule: rule.id.to_owned(),
            name: rule.name.to_owned(),
            asks: rule.asks.to_owned(),
            scope: look.scope,
            found: look.hazards.len() as u64,
            blind: look.blind,
        });
        findings.extend(look.hazards.into_iter().map(|hazard| signed(hazard, rule)));
    }
    // Stable: within a severity the order of the book, which puts what stops everything first.
    findings.sort_by_key(|hazard| std::cmp::Reverse(hazard.severity));
    Inspection {
        kind: InspectionKind::Environment,
        subject: survey
            .python
            .known()
            .map_or_else(String::new, |python| python.path.clone()),
        overview: overview(survey),
        findings,
        checks,
        gaps: survey.gaps.0.clone(),
    }
}

fn signed(mut hazard: Hazard, rule: &HazardRule) -> Hazard {
    rule.id.clone_into(&mut hazard.rule);
    rule.name.clone_into(&mut hazard.name);
    hazard.remedies.sort_by_key(|remedy| remedy.risk);
    hazard
}

fn overview(survey: &Survey) -> Vec<(String, String)> {
    let mut overview = Vec::new();
    let mut tell = |what: &str, value: String| overview.push((what.to_owned(), value));
    if let Some(python) = survey.python.known() {
        tell("Python", format!("{} {}", python.version, python.path));
    }
    if let Some(tensorflow) = survey.tensorflow() {
        tell(
            "TensorFlow",
            format!("{} {}", tensorflow.name, tensorflow.version),
        );
    }
    tell("packages", survey.distributions.len().to_string());
    tell("native files", survey.native.len().to_string());
    overview
}

impl Inspection {
    /// Findings at or above a severity.
    pub fn at_least(&self, severity: Severity) -> impl Iterator<Item = &Hazard> {
        self.findings
            .iter()
            .filter(move |hazard| hazard.severity >= severity)
    }
}
