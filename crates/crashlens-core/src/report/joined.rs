//! What was found in the environment of a process after its death, joined to what is concluded of that death.
//!
//! A hazard that was there is no proof that it struck: it adds weak evidence to a cause that the death itself speaks
//! for, and changes neither confidence nor order; what to do about it comes first, since it is meant for this very
//! environment. Hazards that have nothing to do with the death stay out of it.

use std::cmp::Reverse;

use super::{Death, Report};
use crate::cause::Depth;
use crate::evidence::{Evidence, FactRef, Stance, Weight};
use crate::facts::packages::normal;
use crate::hazard::{Hazard, Severity};
use crate::inspection::Inspection;
use crate::rule::Remedy;

impl Report {
    /// Adds an inspection of the environment that the deaths `is_there` of happened in.
    pub fn join(&mut self, inspection: Inspection, is_there: impl Fn(&Death) -> bool) {
        for death in self.deaths.iter_mut().filter(|death| is_there(death)) {
            join_to(death, &inspection);
        }
        self.inspections.push(inspection);
    }
}

/// Adds hazards to the findings that name the same cause.
fn join_to(death: &mut Death, inspection: &Inspection) {
    let bearing: Vec<&Hazard> = inspection
        .findings
        .iter()
        .filter(|hazard| took_part(hazard, death))
        .collect();
    for finding in &mut death.diagnosis.findings {
        let same_cause = bearing.iter().filter(|it| it.cause == finding.cause);
        let mut worst = same_cause
            .clone()
            .filter(|it| it.severity >= Severity::CanCrash);
        if let Some(remedy) = worst.next().and_then(|it| it.remedies.first()) {
            finding.remedies.retain(|it| !same_deed(it, remedy));
            finding.remedies.insert(0, remedy.clone());
        }
        finding
            .evidence
            .extend(same_cause.map(|it| as_evidence(it)));
        // As the diagnosis has them: for before against, the strong before the weak.
        finding
            .evidence
            .sort_by_key(|it| (it.stance == Stance::Against, Reverse(it.weight)));
    }
}

/// Whether both tell to do the same: the hazard's command names the interpreter, the rule's does not know it.
fn same_deed(one: &Remedy, other: &Remedy) -> bool {
    let deed = |remedy: &Remedy| {
        let command = remedy.command.as_deref()?;
        let (_, deed) = command.split_once("pip ")?;
        Some(deed.replace('\'', ""))
    };
    one == other || deed(one).is_some_and(|it| deed(other) == Some(it))
}

fn as_evidence(hazard: &Hazard) -> Evidence {
    let rule = hazard.rule.clone();
    let claim = format!("The environment has the hazard: {}", hazard.headline);
    Evidence::supports(Weight::Weak, FactRef::Hazard { rule }, claim)
}

/// The hazards to be told with a death: those that a finding rests on; and where nothing is explained, whatever can
/// crash and took part.
pub fn bearing_on<'a>(death: &Death, inspection: &'a Inspection) -> Vec<&'a Hazard> {
    let findings = &death.diagnosis.findings;
    let is_explained = findings
        .first()
        .is_some_and(|first| first.cause.depth() != Depth::Nothing);
    let is_told = |hazard: &&Hazard| {
        let is_named = findings.iter().any(|it| it.cause == hazard.cause);
        is_named || (!is_explained && hazard.severity >= Severity::CanCrash)
    };
    let findings = inspection.findings.iter();
    findings
        .filter(|hazard| took_part(hazard, death))
        .filter(is_told)
        .collect()
}

/// Whether what the hazard is about was in the process: one of its native files; where it names none, the package to
/// be changed; where it names neither, it is about the machine, and every process is in that.
fn took_part(hazard: &Hazard, death: &Death) -> bool {
    let Some(modules) = &death.modules else {
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
#[path = "joined_tests.rs"]
mod tests;
