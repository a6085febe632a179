//! Files that should hold something and hold nothing.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::remedy::ShellLine;
use crate::rule::Remedy;
use crate::rules::environment::packages::commands::{named, reinstall};
use crate::rules::environment::packages::compared;
use crate::rules::environment::packages::places::{is_entry, within};
use crate::survey::{ChangedFile, Distribution, FileList, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG002",
    name: "emptied-files",
    summary: "Files of an installed package are empty although they should have content.",
    causes: &[Cause::DiskFull],
    since: "0.1.0",
    doc: include_str!("emptied_files.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let mut look = compared::packages(survey);
    for distribution in survey.found_distributions() {
        if !survey.is_of_the_system(distribution) {
            look = look.found_all(emptied(survey, distribution));
        }
    }
    look
}

fn emptied(survey: &Survey, distribution: &Distribution) -> Option<Hazard> {
    let files: &FileList = distribution.compared()?;
    // Modules without a byte, and what headers tell to be cut off, are another rule's.
    let is_told = |it: &ChangedFile| {
        let native = survey.native_file(&it.path);
        native.is_some_and(|it| it.truncation.is_some() || it.is_emptied_module())
    };
    // Stubs are for people and their editors.
    let is_used = |it: &ChangedFile| it.path.rsplit('.').next() != Some("pyi");
    let is_empty = |it: &&ChangedFile| {
        it.size == 0 && it.listed_size.is_some_and(|size| size > 0) && is_used(it) && !is_told(it)
    };
    let empty: Vec<&ChangedFile> = files.changed.iter().filter(is_empty).collect();
    let is_fatal = |it: &&&ChangedFile| it.path.contains(".so") || is_entry(&it.path, files);
    let fatal = empty.iter().find(is_fatal);
    let first = fatal.or(empty.first())?;
    let severity = match fatal {
        Some(_) => Severity::WillFail,
        None => Severity::CanCrash,
    };
    let headline = format!(
        "{} of {} is empty",
        within(&first.path, distribution),
        named(distribution)
    );
    let more = match empty.len() {
        1 => String::new(),
        all => format!("; {all} such files are empty"),
    };
    let claim = format!(
        "Its list of files gives it {} bytes{more}.",
        first.listed_size?
    );
    let mut hazard = Hazard::new(severity, Cause::DiskFull, headline)
        .package(distribution.package())
        .because(distribution.fact(), claim)
        .unless("Somebody emptied the file on purpose.");
    hazard
        .files
        .extend(empty.iter().take(5).map(|it| it.path.clone()));
    Some(
        hazard
            .remedy(
                Remedy::new("See whether the disk was full when it was installed")
                    .command(ShellLine::unix("df -h")),
            )
            .remedy(reinstall(distribution)),
    )
}
