//! Packages that pip had begun to remove.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::packages::commands::named;
use crate::survey::{Distribution, MovedAside, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG016",
    name: "half-removed",
    summary: "A package was left half removed or replaced because pip was interrupted.",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("half_removed.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let moved = survey.moved_aside();
    let hazards = moved.iter().map(|moved| hazard(survey, moved));
    Look::at(format!("{} packages", survey.distributions.len())).found_all(hazards)
}

fn hazard(survey: &Survey, moved: &MovedAside<'_>) -> Hazard {
    let mut asking = survey.found_distributions().filter_map(|distribution| {
        let name = asked_for(distribution, moved)?;
        Some((distribution, name))
    });
    let hazard = if let Some((distribution, name)) = asking.next() {
        needed(survey, moved, distribution, name)
    } else {
        let headline = format!(
            "pip had begun to remove or replace a package, ~{} {}, and did not end",
            moved.tail, moved.version
        );
        let action = "Install the package again if it is wanted; pip put ~ in the place of the first letter of its name.";
        Hazard::new(Severity::WorthKnowing, Cause::InterpreterMisuse, headline)
            .remedy(Remedy::new(action).risk(Risk::Environment))
    };
    let claim = format!(
        "{} is left, which is what pip calls the record of a package while it removes it; no package of that name is installed.",
        moved.path
    );
    hazard
        .because(FactRef::Python, claim)
        .unless("The package was to be removed, and nothing imports it.")
        .file(moved.path)
}

/// The name under which a distribution asks for it in any case.
fn asked_for<'a>(distribution: &'a Distribution, moved: &MovedAside<'_>) -> Option<&'a str> {
    // What stands behind a semicolon is a condition.
    let lines = distribution.requires.iter().filter(|it| !it.contains(';'));
    let mut names = lines.filter_map(|line| {
        let is_end = |letter: char| !letter.is_ascii_alphanumeric() && !"-_.".contains(letter);
        line.trim().split(is_end).next()
    });
    names.find(|name| moved.fits(name))
}

fn needed(
    survey: &Survey,
    moved: &MovedAside<'_>,
    distribution: &Distribution,
    name: &str,
) -> Hazard {
    let folder = format!("{}/~{}", moved.site, moved.tail);
    // Its modules may be under another name, and still there.
    let severity = if survey.leftovers.contains(&folder) {
        Severity::WillFail
    } else {
        Severity::WorthKnowing
    };
    let headline = format!(
        "pip had begun to remove {name} {}, which {} asks for",
        moved.version,
        named(distribution)
    );
    let wanted = format!("{name}=={}", moved.version);
    Hazard::new(severity, Cause::InterpreterMisuse, headline)
        .because(distribution.fact(), format!("It asks for {name}."))
        .package(distribution.package())
        .remedy(
            Remedy::new(format!("Install {name} {} again", moved.version))
                .command_if(Pip::install(&[wanted]))
                .risk(Risk::Environment),
        )
}
