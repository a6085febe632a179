//! Native files that end before what their headers promise.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::rule::{Remedy, Risk};
use crate::survey::loading::count;
use crate::survey::{NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "LNK004",
    name: "truncated-library",
    summary: "A shared library is truncated, empty, or not an ELF file.",
    causes: &[Cause::MappedFileTruncated],
    since: "0.1.0",
    doc: include_str!("truncated_library.md"),
    judge: Judge::Environment(judge),
};

/// Bytes of the header that every ELF file of 64 bits begins with.
const ELF_HEADER: u64 = 64;
/// No library is larger than a terabyte.
const MOST_BYTES: u64 = 1 << 40;

fn judge(survey: &Survey) -> Look {
    if survey.native.is_empty() {
        return Look::nothing();
    }
    let scope = count(survey.native.len(), "native file", "native files");
    let hazards = survey.native.iter().filter_map(hazard);
    Look::at(scope).found_all(hazards)
}

fn hazard(file: &NativeFile) -> Option<Hazard> {
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
        .command_if(Survey::reinstall(package)),
        None => Remedy::new("Build or copy the file anew, and see that the disk is not full."),
    };
    Some(hazard.remedy(again.risk(Risk::Environment)))
}

fn words(file: &NativeFile) -> Option<(String, String)> {
    let title = file.title();
    if file.is_emptied_module() {
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
    if present < ELF_HEADER {
        let there = format!("{present} {}", if present == 1 { "byte" } else { "bytes" });
        let claim = format!(
            "The file has {there}, fewer than the header of a native file takes; the loader says \"file too short\"."
        );
        return Some((
            format!("{title} is cut short: {there} are all there is"),
            claim,
        ));
    }
    if promised > MOST_BYTES {
        let claim = format!(
            "Its headers promise {promised} bytes, more than any library has, and the file has {present}: they are garbage."
        );
        return Some((format!("{title} is damaged"), claim));
    }
    let headline = format!("{title} is cut short: {present} of {promised} bytes are there");
    let claim = format!(
        "Its headers promise {promised} bytes and the file has {present}; whoever uses the missing part dies of SIGBUS."
    );
    Some((headline, claim))
}
