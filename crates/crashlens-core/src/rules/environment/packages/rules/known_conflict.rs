//! Versions of two packages that were seen not to go together.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::compatibility::{Outcome, Pair, pairs};
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::packages::commands::named;
use crate::survey::{Distribution, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG009",
    name: "known-conflict",
    summary: "Two packages are installed in versions that are known to be incompatible.",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("known_conflict.md"),
    judge: Judge::Environment(judge),
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
    if !with.iter().all(is_bad) || pair.module.as_ref().is_some_and(|it| survey.has_module(it)) {
        return None;
    }
    let Some(first) = with.first() else {
        return missing(survey, distribution, pair);
    };
    // The native files say it with more certainty.
    if first.name == "numpy" && has_old_numpy(survey, distribution) {
        return None;
    }
    let headline = format!(
        "{} and {} do not go together: {}",
        named(distribution),
        named(first),
        pair.what
    );
    let fact = first.fact();
    let claim = format!("{} is what Python finds beside it.", named(first));
    let hazard = told(distribution, pair, headline).because(fact, claim);
    Some(hazard.package(first.package()))
}

/// Of the other nothing is there, and so not the module either. Where it is asked for, `requirement-unmet` tells of it.
fn missing(survey: &Survey, distribution: &Distribution, pair: &Pair) -> Option<Hazard> {
    let module = pair
        .module
        .as_ref()
        .filter(|_| !distribution.asks_for(&pair.with))?;
    // Folders that could not be found may have it.
    survey.python.known()?;
    let headline = format!(
        "{} needs {}, which is not installed: {}",
        named(distribution),
        pair.with,
        pair.what
    );
    let claim = format!("Nothing that Python finds here has the module {module}.");
    Some(told(distribution, pair, headline).because(FactRef::Python, claim))
}

fn told(distribution: &Distribution, pair: &Pair, headline: String) -> Hazard {
    let severity = match pair.outcome {
        Outcome::ImportFails => Severity::WillFail,
        Outcome::PartFails => Severity::CanCrash,
    };
    let known = || FactRef::KnownIssue {
        id: pair.id.clone(),
    };
    let is_there = format!("{} is installed.", named(distribution));
    let mut hazard = Hazard::new(severity, Cause::AbiMismatch, headline)
        .because(distribution.fact(), is_there)
        .because(known(), format!("The pair is known: {}.", pair.source))
        .unless("A program that uses both runs here to its end.")
        .package(distribution.package());
    if let Some(error) = &pair.error {
        hazard = hazard.because(known(), format!("Expect \"{error}\"."));
    }
    hazard.remedy(
        Remedy::new("Install a version that goes with it")
            .command_if(Pip::install(std::slice::from_ref(&pair.install)))
            .risk(Risk::Environment),
    )
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
