//! The environment that a process died in, as an input to what is concluded of its death.
//!
//! A hazard that was there does not prove that it struck: it adds weak evidence to a cause that the death itself speaks
//! for, and changes neither confidence nor order; what to do about it comes first among equal risks, since it is meant
//! for this very environment. Hazards that have nothing to do with the death stay out of it.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{Diagnosis, Finding};
use crate::capture::Module;
use crate::cause::Depth;
use crate::evidence::{Evidence, FactRef, Stance, Weight};
use crate::facts::packages::normal;
use crate::hazard::{Hazard, Severity};
use crate::inspection::Inspection;
use crate::remedy::{Command, Remedy, fit};

/// A hazard of the environment, by its place in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HazardRef {
    /// Index into `inspections` of the report.
    pub inspection: usize,
    /// Index into the `findings` of that inspection.
    pub finding: usize,
}

/// The environment that a process died in.
pub(crate) struct Environment<'a> {
    /// What was found there.
    pub(crate) inspection: &'a Inspection,
    /// Its index in the report.
    pub(crate) index: usize,
    /// What the process had loaded, where that is known.
    pub(crate) modules: Option<&'a [Module]>,
}

impl Environment<'_> {
    /// Adds what is known of the environment to a diagnosis that is in the making.
    pub(super) fn join(&self, diagnosis: &mut Diagnosis) {
        for finding in &mut diagnosis.findings {
            self.join_to(finding);
        }
        let findings = &diagnosis.findings;
        let first = findings.first();
        let is_explained = first.is_some_and(|first| first.cause.depth() != Depth::Nothing);
        let is_related = |hazard: &Hazard| {
            let is_named = findings.iter().any(|it| it.cause == hazard.cause);
            is_named || (!is_explained && hazard.severity >= Severity::CanCrash)
        };
        diagnosis.hazards = self
            .taking_part()
            .filter(|(_, hazard)| is_related(hazard))
            .map(|(finding, _)| HazardRef {
                inspection: self.index,
                finding,
            })
            .collect();
    }

    fn taking_part(&self) -> impl Iterator<Item = (usize, &Hazard)> {
        let hazards = self.inspection.findings.iter().enumerate();
        hazards.filter(|(_, hazard)| self.took_part(hazard))
    }

    /// Adds the hazards that would be the same cause.
    fn join_to(&self, finding: &mut Finding) {
        if let Some(place) = &self.inspection.place {
            fit(&mut finding.remedies, place);
        }
        let hazards = self.taking_part().map(|(_, hazard)| hazard);
        let same_cause: Vec<&Hazard> = hazards.filter(|it| it.cause == finding.cause).collect();
        let mut severe = same_cause.iter();
        let worst = severe.find(|it| it.severity >= Severity::CanCrash);
        if let Some(remedy) = worst.and_then(|it| it.remedies.first()) {
            let (same, others): (Vec<_>, Vec<_>) = finding
                .remedies
                .drain(..)
                .partition(|it| is_same_step(it, remedy));
            let mut same = same.into_iter();
            let first = same.find(|it| is_more_thorough(it, remedy));
            finding.remedies = others;
            finding
                .remedies
                .insert(0, first.unwrap_or_else(|| remedy.clone()));
        }
        finding.remedies.sort_by_key(|it| it.risk);
        finding
            .evidence
            .extend(same_cause.into_iter().map(as_evidence));
        // As the diagnosis has them: for before against, the strong before the weak.
        finding
            .evidence
            .sort_by_key(|it| (it.stance == Stance::Against, Reverse(it.weight)));
    }

    /// Whether what the hazard is about was in the process: one of its native files; where it names none, the package to
    /// be changed; where it names neither, it is about the machine, and every process is in that.
    fn took_part(&self, hazard: &Hazard) -> bool {
        let Some(modules) = self.modules else {
            return false;
        };
        let mut native = hazard
            .files
            .iter()
            .filter(|file| is_native(file))
            .peekable();
        if native.peek().is_some() {
            return native.any(|file| modules.iter().any(|module| is_same(file, &module.path)));
        }
        let Some(first) = hazard.packages.first() else {
            return true;
        };
        let packages = modules.iter().filter_map(|module| module.package.as_ref());
        let wanted = normal(&first.name);
        packages
            .into_iter()
            .any(|package| normal(&package.name) == wanted)
    }
}

/// Whether both say to do the same; a rule and a hazard give different reasons for one command.
fn is_same_step(one: &Remedy, other: &Remedy) -> bool {
    match (&one.command, &other.command) {
        (Some(Command::Pip(one)), Some(Command::Pip(other))) => one.is_same_change(other),
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

/// Of two calls of pip that change the same, the one with more options: it also passes over the cache, say.
fn is_more_thorough(one: &Remedy, other: &Remedy) -> bool {
    match (&one.command, &other.command) {
        (Some(Command::Pip(one)), Some(Command::Pip(other))) => one.options() > other.options(),
        _ => false,
    }
}

fn as_evidence(hazard: &Hazard) -> Evidence {
    let rule = hazard.rule.clone();
    let claim = format!("The environment has the hazard: {}", hazard.headline);
    Evidence::supports(Weight::Weak, FactRef::Hazard { rule }, claim)
}

fn is_native(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split('.').skip(1).any(|part| part == "so")
}

/// Whether two paths lead to one file, as far as that can be told without looking: a process has links resolved, so the
/// folder of packages may have another name there.
fn is_same(file: &str, loaded: &str) -> bool {
    let below = |path: &str| {
        let folders = ["/site-packages/", "/dist-packages/"];
        let found = folders
            .iter()
            .find_map(|it| Some((path.rfind(it)?, it.len())));
        found.and_then(|(at, length)| Some(path.get(at + length..)?.to_owned()))
    };
    file == loaded || below(file).is_some_and(|inside| below(loaded) == Some(inside))
}

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;
