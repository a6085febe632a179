//! Metadata of another version that was left behind.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::rules::environment::packages::commands::reinstall;
use crate::rules::environment::packages::compared;
use crate::survey::{Distribution, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG005",
    name: "two-records",
    summary: "One package has metadata of two versions in the same site-packages directory.",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("two_records.md"),
    judge: Judge::Environment(judge),
};

/// Images of continuous integration upgrade these with `--ignore-installed`, and nobody asks for their version.
const INSTALLERS: [&str; 3] = ["pip", "setuptools", "wheel"];

fn judge(survey: &Survey) -> Look {
    let mut look = compared::packages(survey);
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
    let is_unseen = |it: &Distribution| it.files.known().is_some() && it.compared().is_none();
    if is_unseen(distribution) || is_unseen(other) {
        return None;
    }
    let files = |it: &Distribution| it.files.known().cloned().unwrap_or_default();
    let (newer, older) = (files(distribution), files(other));
    let is_whole = |it: &Distribution| {
        let files = it.files.known();
        files.is_some_and(|files| files.missing_count == 0)
    };
    // Nothing of either was taken away, and files of one are not as listed: one was written over the other.
    let is_mixed = is_whole(distribution)
        && is_whole(other)
        && newer.changed_count.max(older.changed_count) > 0;
    let is_clean = (is_whole(distribution) || is_whole(other)) && !is_mixed;
    let severity = if is_clean {
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
    let hazard = if is_mixed {
        let count = newer.changed_count.max(older.changed_count);
        hazard.because(other.fact(), format!("All files of both are there, and {count} of them are not as one of the two lists them: one was written over the other, whose further modules are still found."))
    } else {
        hazard
    };
    Some(hazard.remedy(reinstall(distribution)))
}
