//! Versions of two packages that were seen not to go together.

use super::commands::{install, named};
use crate::cause::Cause;
use crate::compatibility::{Outcome, Pair, pairs};
use crate::evidence::FactRef;
use crate::hazard::{Hazard, HazardRule, Look, Severity};
use crate::rule::{Remedy, Risk};
use crate::survey::{Distribution, Survey};

pub(crate) static RULE: HazardRule = HazardRule {
    id: "PKG009",
    name: "known-conflict",
    asks: "pairs of versions that are known not to go together",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("known_conflict.md"),
    judge,
};

fn judge(survey: &Survey) -> Look {
    let mut look = Look::at(format!("{} known pairs", pairs().len()));
    for distribution in survey.found_distributions() {
        for pair in pairs()
            .iter()
            .filter(|pair| pair.is_about(&distribution.name))
        {
            look = look.found_all(conflict(survey, distribution, pair));
        }
    }
    look
}

fn conflict(survey: &Survey, distribution: &Distribution, pair: &Pair) -> Option<Hazard> {
    let version = distribution.parsed_version()?;
    let with: Vec<&Distribution> = survey.copies(&pair.with).collect();
    let is_bad = |it: &&Distribution| {
        it.parsed_version()
            .is_some_and(|with| pair.applies(&version, &with))
    };
    let first = with.first().filter(|_| with.iter().all(is_bad))?;
    // The native files say it with more certainty.
    if first.name == "numpy" && has_old_numpy(survey, distribution) {
        return None;
    }
    let severity = match pair.outcome {
        Outcome::ImportFails => Severity::WillFail,
        Outcome::PartFails => Severity::CanCrash,
    };
    let headline = format!(
        "{} and {} do not go together: {}",
        named(distribution),
        named(first),
        pair.what
    );
    let mut hazard = Hazard::new(severity, Cause::AbiMismatch, headline)
        .because(
            distribution.fact(),
            format!("{} is installed.", named(distribution)),
        )
        .because(
            first.fact(),
            format!("{} is what Python finds beside it.", named(first)),
        )
        .because(
            FactRef::KnownIssue {
                id: pair.id.clone(),
            },
            format!("The pair is known: {}.", pair.source),
        )
        .unless("A program that uses both runs here to its end.")
        .package(first.package())
        .package(distribution.package());
    if let Some(error) = &pair.error {
        let fact = FactRef::KnownIssue {
            id: pair.id.clone(),
        };
        hazard = hazard.because(fact, format!("Expect \"{error}\"."));
    }
    let remedy = Remedy::new("Install a version that goes with it")
        .command_if(install(survey, std::slice::from_ref(&pair.install)))
        .risk(Risk::Environment);
    Some(hazard.remedy(remedy))
}

fn has_old_numpy(survey: &Survey, distribution: &Distribution) -> bool {
    survey.native.iter().any(|file| {
        let is_its = file
            .package
            .as_ref()
            .is_some_and(|it| it.name == distribution.name);
        is_its && file.numpy.is_some_and(|it| it.old && !it.new)
    })
}
