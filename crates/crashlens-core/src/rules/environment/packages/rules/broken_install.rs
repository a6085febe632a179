//! Files of a distribution that are gone.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::rules::environment::packages::commands::{named, reinstall};
use crate::rules::environment::packages::compared;
use crate::rules::environment::packages::missing_code::{is_told_by_linking, lacks_core};
use crate::rules::environment::packages::places::{is_entry, within};
use crate::rules::environment::packages::unreadable_files;
use crate::survey::{Distribution, FileList, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG001",
    name: "broken-install",
    summary: "Files that an installed package lists are missing, or modules cannot be read by this user.",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("broken_install.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let mut look = compared::files(survey);
    for distribution in survey.found_distributions() {
        if survey.is_of_the_system(distribution) {
            continue;
        }
        let part = format!("files of {}", distribution.name);
        look = look.blind_to(&part, &distribution.files, &survey.gaps);
        let Some(files) = distribution.compared() else {
            continue;
        };
        look = look.found_all(unreadable_files::unreadable(distribution, files));
        if !has_sound_copy(survey, distribution) {
            look = look.found_all(missing(survey, distribution, files));
        }
    }
    look
}

fn missing(survey: &Survey, distribution: &Distribution, files: &FileList) -> Option<Hazard> {
    // What is not code is left out to save space, or listed where nobody puts it.
    if files.missing_code_count == 0 {
        return None;
    }
    if is_told_by_linking(survey, files) {
        return None;
    }
    let is_gutted = files.missing_count.saturating_mul(2) >= files.listed;
    let mut code = files.missing.iter();
    let entry = code.find(|path| is_entry(path, files));
    let severity = if entry.is_some() || is_gutted || lacks_core(survey, distribution, files) {
        Severity::WillFail
    } else {
        Severity::CanCrash
    };
    let example = entry.or_else(|| files.missing.first())?;
    let example = within(example, distribution);
    let (listed, title) = (files.listed, named(distribution));
    let headline = match files.missing_count {
        1 => format!("1 of the {listed} files of {title} is missing: {example}"),
        all => format!("{all} of the {listed} files of {title} are missing, {example} among them"),
    };
    let mut hazard = Hazard::new(severity, Cause::InterpreterMisuse, headline)
        .package(distribution.package())
        .because(
            distribution.fact(),
            "Its own list of files names them, and they are not on the disk.",
        )
        .unless("The files were taken out on purpose, and nothing imports them.");
    if is_gutted {
        hazard = hazard.because(
            distribution.fact(),
            "So much is gone when another package that had the same files was uninstalled, or an installation stopped half-way.",
        );
    }
    hazard.files.extend(files.missing.iter().take(5).cloned());
    Some(hazard.remedy(reinstall(distribution)))
}

/// Another record of the same name in the same folder that has all its files: then this one was left behind.
fn has_sound_copy(survey: &Survey, distribution: &Distribution) -> bool {
    survey.copies(&distribution.name).any(|other| {
        let files = other.compared();
        other.metadata != distribution.metadata && files.is_some_and(|it| it.missing_count == 0)
    })
}
