//! Packages for another kind of processor than the interpreter's.

use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, HazardRule, Look, Severity};
use crate::rule::{Remedy, Risk};
use crate::survey::loading::{by_owner, count, involving};
use crate::survey::{NativeFile, Survey};

pub(crate) static RULE: HazardRule = HazardRule {
    id: "CPU003",
    name: "foreign-architecture",
    asks: "native modules for another kind of processor than the interpreter's",
    causes: &[Cause::WrongArchitecture],
    since: "0.1.0",
    doc: include_str!("foreign_architecture.md"),
    judge,
};

fn judge(survey: &Survey) -> Look {
    let Some(python) = survey.python.known() else {
        return Look::nothing();
    };
    let scope = count(survey.native.len(), "native file", "native files");
    let look = Look::at(scope).blind_to(
        "the interpreter's architecture",
        &python.architecture,
        &survey.gaps,
    );
    let Some(own) = python.architecture.known() else {
        return look;
    };
    let hazards = by_owner(&survey.native)
        .into_values()
        .filter_map(|files| hazard(survey, own, &files));
    look.found_all(hazards)
}

/// A package all of whose native files are for another processor. Some packages carry helpers for several kinds
/// (debuggers do); those have one for this kind, too.
fn hazard(survey: &Survey, own: &str, files: &[&NativeFile]) -> Option<Hazard> {
    let is_foreign = |file: &&NativeFile| file.architecture.known().is_some_and(|it| it != own);
    let file = files.iter().find(|file| is_module(file))?;
    if !files.iter().all(is_foreign) {
        return None;
    }
    let foreign = file.architecture.known()?;
    let owner = file.owner_with_version();
    let headline = format!("{owner} is for {foreign} processors, and this Python is for {own}");
    let mut hazard = Hazard::new(Severity::WillFail, Cause::WrongArchitecture, headline)
        .because(file.fact(), format!("{} is an ELF file for {foreign}; so are all {} of the package.", file.name(), count(files.len(), "native file", "native files")))
        .because(FactRef::Python, format!("The interpreter is an ELF file for {own}: the loader refuses the others, or Python does not find them."))
        .unless("Another interpreter uses this folder of packages, one that is for the same processor as they are");
    hazard = involving(hazard, files);
    let again = match &file.package {
        Some(package) => Remedy::new(format!(
            "Install {} with the pip of this Python, on the machine that it is to run on.",
            package.name
        ))
        .command_if(survey.reinstall(package)),
        None => Remedy::new("Build the file anew with this Python."),
    };
    Some(hazard.remedy(again.risk(Risk::Environment)))
}

/// Whether Python imports it, or would where it was built for.
fn is_module(file: &NativeFile) -> bool {
    let name = file.name();
    file.extension.is_some() || name.contains(".cpython-") || name.contains(".abi3.")
}
