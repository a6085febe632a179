//! Two distributions that install the same files.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::rules::environment::packages::commands::named;
use crate::rules::environment::packages::compared;
use crate::rules::environment::packages::overlap_remedy::repair;
use crate::survey::{ChangedFile, Distribution, FileList, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG004",
    name: "one-package-twice",
    summary: "Two distributions own the same files, such as `tensorflow` and `tensorflow-cpu`.",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("one_package_twice.md"),
    judge: Judge::Environment(judge),
};

/// Folders that packages install by mistake, and that nobody imports.
const BY_MISTAKE: [&str; 8] = [
    "tests",
    "test",
    "docs",
    "doc",
    "examples",
    "example",
    "scripts",
    "benchmarks",
];

/// A package of a module or two has no more files, metadata counted.
const SMALL: u64 = 10;

fn judge(survey: &Survey) -> Look {
    let mut look = compared::packages(survey);
    for one in survey.found_distributions() {
        let Some(files) = one.compared() else {
            continue;
        };
        for (name, count) in &files.shared_with {
            // Each pair is listed from both sides.
            let other = survey.copies(name).find(|other| other.site() == one.site());
            let other = other.filter(|other| other.name > one.name);
            if let Some(hazard) = other.and_then(|other| clash(one, other, files, *count)) {
                look = look.found(hazard);
            }
        }
    }
    look
}

fn clash(one: &Distribution, other: &Distribution, files: &FileList, count: u64) -> Option<Hazard> {
    let others = other.compared()?;
    // One file in common is an accident in a shared folder, but all there is of a small package.
    if count < 2 && files.listed.min(others.listed) > SMALL {
        return None;
    }
    let mut tops = files.top.iter();
    let top = tops.find(|top| others.top.contains(top) && !BY_MISTAKE.contains(&top.as_str()))?;
    let is_same = one.parsed_version() == other.parsed_version();
    let overwritten = overwritten(files, other) + overwritten(others, one);
    // What was installed last is whole: nothing fails before one of the two goes.
    let is_whole = |it: &FileList| it.missing_count == 0 && it.changed_count == 0;
    let is_unmixed = overwritten == 0 || is_whole(files) || is_whole(others);
    let severity = if is_same && is_unmixed {
        Severity::WorthKnowing
    } else {
        Severity::CanCrash
    };
    let headline = format!(
        "{} and {} both own the folder {top}, with different content in {count} files",
        named(one),
        named(other)
    );
    let mut hazard = Hazard::new(severity, Cause::AbiMismatch, headline)
        .because(one.fact(), format!("{} lists {count} files that {} lists too, with other content.", one.name, other.name))
        .because(other.fact(), "Whichever was installed last has written over the other's; to uninstall one of them breaks the other.")
        .unless("The two were built from the same source with the same version, and neither is ever uninstalled or upgraded alone.")
        .package(one.package())
        .package(other.package());
    if overwritten > 0 {
        let claim = format!(
            "At least {overwritten} files are not as one of the two lists them: the other wrote them."
        );
        hazard = hazard.because(one.fact(), claim);
    }
    hazard
        .files
        .extend(files.changed.iter().take(5).map(|it| it.path.clone()));
    Some(hazard.remedy(repair(one, other, count, top)))
}

/// Files that have the size which the other distribution lists. A third one may have written over both.
fn overwritten(files: &FileList, other: &Distribution) -> usize {
    let changed = files.changed.iter();
    let is_others = |it: &&ChangedFile| it.written_by.as_ref() == Some(&other.name);
    changed.filter(is_others).count()
}
