//! Metadata of another version that was left behind.

use super::commands::reinstall;
use crate::cause::Cause;
use crate::hazard::{Hazard, HazardRule, Look, Severity};
use crate::survey::{Distribution, Survey};

pub(crate) static RULE: HazardRule = HazardRule {
    id: "PKG005",
    name: "two-records",
    asks: "packages with metadata of two versions",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("two_records.md"),
    judge,
};

/// Images of continuous integration upgrade these with `--ignore-installed`, and nobody asks for their version.
const INSTALLERS: [&str; 3] = ["pip", "setuptools", "wheel"];

fn judge(survey: &Survey) -> Look {
    let mut look = Look::at(format!("{} packages", survey.distributions.len()));
    for distribution in survey.found_distributions() {
        if !survey.is_of_the_system(distribution) {
            look = look.found_all(two_records(survey, distribution));
        }
    }
    look
}

/// Two records of one name in one folder, with different versions.
fn two_records(survey: &Survey, distribution: &Distribution) -> Option<Hazard> {
    if INSTALLERS.contains(&distribution.name.as_str()) {
        return None;
    }
    let other = survey.copies(&distribution.name).find(|other| {
        other.site() == distribution.site()
            && other.parsed_version() < distribution.parsed_version()
    })?;
    let is_sound = |it: &Distribution| {
        it.files
            .known()
            .is_some_and(|files| files.missing_count == 0)
    };
    let severity = if is_sound(distribution) || is_sound(other) {
        Severity::WorthKnowing
    } else {
        Severity::CanCrash
    };
    let headline = format!(
        "{} has two records in one folder: {} and {}",
        distribution.name, other.version, distribution.version
    );
    let hazard = Hazard::new(severity, Cause::AbiMismatch, headline)
        .package(distribution.package())
        .because(distribution.fact(), "pip and packages that ask for the version get one of the two, whichever the folder gives first.")
        .unless("Whatever asks for its version gets along with either.")
        .package(other.package())
        .file(distribution.metadata.clone())
        .file(other.metadata.clone());
    Some(hazard.remedy(reinstall(survey, distribution)))
}
