//! `Inspection`: what a check found, as reports have it.

mod pythonpath;

use serde::{Deserialize, Serialize};

use crate::book::{self, Judge, Rule};
use crate::capture::Gap;
use crate::files::Forecast;
use crate::hazard::{Hazard, Severity};
use crate::remedy::{self, Place};
use crate::survey::Survey;

/// What one check looked at and found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inspection {
    /// What kind of thing was looked at.
    pub kind: InspectionKind,
    /// Which: the path of the interpreter.
    pub subject: String,
    /// What was seen of it at first sight, in the order it is told: interpreter, TensorFlow.
    pub overview: Vec<Seen>,
    /// How much of it was looked at.
    pub looked_at: Vec<Amount>,
    /// What the largest models will ask of the memory, the largest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forecasts: Vec<Forecast>,
    /// What there should have been to check, and was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<Lack>,
    /// What was found, the worst first.
    pub findings: Vec<Hazard>,
    /// Every check that was made.
    pub checks: Vec<Check>,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
    /// The environment that the commands of its findings are for.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// What kind of thing was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum InspectionKind {
    /// A Python environment and the machine.
    Environment,
    /// Data files.
    Data,
    /// Models, checkpoints, weights.
    Model,
}

/// What there was none of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// No file at all.
    Files,
    /// Files, but none that holds what was to be checked: data or a model.
    Readable,
}

/// Something seen at first sight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Seen {
    /// What: `Python`.
    pub what: String,
    /// What is seen of it: `3.11.7, /home/ada/venv/bin/python`.
    pub value: String,
}

/// How much was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Amount {
    /// Of what, in the plural: `native files`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub what: Counted,
    /// How many.
    pub count: u64,
}

/// What is counted. In JSON it is the text of [`Counted::as_str`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Counted {
    /// Installed packages.
    Packages,
    /// Shared libraries and extension modules.
    NativeFiles,
    /// Files of data or models.
    Files,
    /// Their size.
    Bytes,
    /// Files of one format, by its name.
    Of(String),
}

impl Counted {
    /// In the plural.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Packages => "packages",
            Self::NativeFiles => "native files",
            Self::Files => "files",
            Self::Bytes => "bytes",
            Self::Of(format) => format,
        }
    }
}

impl From<String> for Counted {
    fn from(text: String) -> Self {
        let mut known = [Self::Packages, Self::NativeFiles, Self::Files, Self::Bytes].into_iter();
        known
            .find(|it| it.as_str() == text)
            .unwrap_or(Self::Of(text))
    }
}

impl From<Counted> for String {
    fn from(counted: Counted) -> Self {
        counted.as_str().to_owned()
    }
}

/// One check that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl Inspection {
    /// How many of them were looked at.
    pub fn count_of(&self, what: &Counted) -> Option<u64> {
        let mut amounts = self.looked_at.iter();
        amounts.find(|it| it.what == *what).map(|it| it.count)
    }
}

impl Check {
    /// Whether there was nothing for it to look at.
    pub fn is_idle(&self) -> bool {
        self.scope.is_empty() && self.blind.is_empty() && self.found == 0
    }

    /// Whether it was to look at something and could look at none of it.
    pub fn saw_nothing(&self) -> bool {
        self.scope.is_empty() && !self.blind.is_empty()
    }
}

/// Judges a survey by every rule.
pub fn inspect(survey: &Survey) -> Inspection {
    let mut findings = Vec::new();
    let mut checks = Vec::new();
    let place = Place::of(survey);
    for rule in book::all() {
        let Judge::Environment(judge) = rule.judge else {
            continue;
        };
        let look = judge(survey);
        checks.push(look.as_check(rule));
        findings.extend(look.findings.into_iter().map(|hazard| {
            let mut hazard = signed(pythonpath::named(survey, hazard), rule);
            remedy::fit(&mut hazard.remedies, &place);
            hazard
        }));
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
        looked_at: looked_at(survey),
        forecasts: Vec::new(),
        lacks: None,
        findings,
        checks,
        gaps: survey.gaps.0.clone(),
        place: Some(place),
    }
}

fn signed(mut hazard: Hazard, rule: &Rule) -> Hazard {
    rule.id.clone_into(&mut hazard.rule);
    rule.name.clone_into(&mut hazard.name);
    hazard.remedies.sort_by_key(|remedy| remedy.risk);
    hazard
}

fn overview(survey: &Survey) -> Vec<Seen> {
    let mut overview = Vec::new();
    let mut tell = |what: &str, value: String| {
        let what = what.to_owned();
        overview.push(Seen { what, value });
    };
    if let Some(python) = survey.python.known() {
        let version = if python.version.is_empty() {
            "of an unknown version"
        } else {
            &python.version
        };
        tell("Python", format!("{version}, {}", python.path));
    }
    let tensorflows: Vec<String> = survey
        .tensorflows()
        .map(|it| format!("{} {}", it.name, it.version))
        .collect();
    if !tensorflows.is_empty() {
        tell("TensorFlow", tensorflows.join(", "));
    }
    overview
}

fn looked_at(survey: &Survey) -> Vec<Amount> {
    let amount = |what, count: usize| Amount {
        what,
        count: count as u64,
    };
    vec![
        amount(Counted::Packages, survey.distributions.len()),
        amount(Counted::NativeFiles, survey.native.len()),
    ]
}

impl Inspection {
    /// Findings at or above a severity.
    pub fn at_least(&self, severity: Severity) -> impl Iterator<Item = &Hazard> {
        self.findings
            .iter()
            .filter(move |hazard| hazard.severity >= severity)
    }
}

#[cfg(test)]
mod tests;
