//! Packages installed in place from a folder that is gone.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::rule::{Remedy, Risk};
use crate::rules::environment::packages::commands::named;
use crate::survey::{Distribution, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG003",
    name: "lost-source",
    summary: "A package is installed in editable mode from a source directory that no longer exists.",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("lost_source.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let mut look = Look::at(format!("{} packages", survey.distributions.len()));
    for distribution in survey.found_distributions() {
        if !survey.is_of_the_system(distribution) {
            look = look.found_all(lost_source(distribution));
        }
    }
    look
}

fn lost_source(distribution: &Distribution) -> Option<Hazard> {
    let source = distribution.lost_source.as_ref()?;
    let headline = format!(
        "{} is installed in place from {source}, which is not there",
        named(distribution)
    );
    let hazard = Hazard::new(Severity::WillFail, Cause::InterpreterMisuse, headline)
        .package(distribution.package())
        .because(
            distribution.fact(),
            "Its metadata points to that folder for its code.",
        )
        .unless("The folder is on a disk that is not mounted now.")
        .file(source.clone());
    Some(
        hazard.remedy(
            Remedy::new(
                "Bring the folder back, or install the package from where its source is now",
            )
            .risk(Risk::Environment),
        ),
    )
}
