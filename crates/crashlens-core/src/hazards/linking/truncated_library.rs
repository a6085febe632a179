//! Native files that end before what their headers promise.

use crate::cause::Cause;
use crate::hazard::{Hazard, HazardRule, Look, Severity};
use crate::rule::{Remedy, Risk};
use crate::survey::loading::count;
use crate::survey::{NativeFile, Survey};

pub(crate) static RULE: HazardRule = HazardRule {
    id: "LNK004",
    name: "truncated-library",
    asks: "native files that were cut short, are empty or damaged",
    causes: &[Cause::MappedFileTruncated],
    since: "0.1.0",
    doc: include_str!("truncated_library.md"),
    judge,
};

fn judge(survey: &Survey) -> Look {
    if survey.native.is_empty() {
        return Look::nothing();
    }
    let scope = count(survey.native.len(), "native file", "native files");
    let hazards = survey.native.iter().filter_map(|file| hazard(survey, file));
    Look::at(scope).found_all(hazards)
}

fn hazard(survey: &Survey, file: &NativeFile) -> Option<Hazard> {
    let (headline, claim) = words(file)?;
    let mut hazard = Hazard::new(Severity::WillFail, Cause::MappedFileTruncated, headline)
        .because(file.fact(), claim)
        .file(file.path.clone())
        .unless("The file was being written while it was read, and is whole now");
    hazard.packages.extend(file.package.clone());
    let again = match &file.package {
        Some(package) => Remedy::new(format!(
            "Install {} anew, and see that the disk is not full.",
            package.name
        ))
        .command_if(survey.reinstall(package)),
        None => Remedy::new("Build or copy the file anew, and see that the disk is not full."),
    };
    Some(hazard.remedy(again.risk(Risk::Environment)))
}

fn words(file: &NativeFile) -> Option<(String, String)> {
    let title = file.title();
    if file.size == 0 && is_named_as_module(file) {
        let claim = "The file has no bytes; the loader says \"file too short\".".to_owned();
        return Some((format!("{title} is empty"), claim));
    }
    if let Some(unsound) = &file.unsound {
        // Companions of other systems have such names, too; what Python would import is another matter.
        let claim = format!(
            "Its name is that of a module for Python, and {unsound}; the loader says \"invalid ELF header\"."
        );
        let is_damaged = file.is_module() && file.package.is_some();
        return is_damaged.then(|| (format!("{title} is damaged"), claim));
    }
    let truncation = file.truncation?;
    let (present, promised) = (truncation.present, truncation.promised);
    if present >= promised {
        return None;
    }
    let headline = format!("{title} is cut short: {present} of {promised} bytes are there");
    let claim = format!(
        "Its headers promise {promised} bytes and the file has {present}; whoever uses the missing part dies of SIGBUS."
    );
    Some((headline, claim))
}

/// Empty files of other names are put there on purpose, for tests and as placeholders.
fn is_named_as_module(file: &NativeFile) -> bool {
    let name = file.name();
    let is_tagged = name.contains(".cpython-") || name.contains(".abi3.");
    file.package.is_some() && name.contains(".so") && (is_tagged || file.is_module())
}
