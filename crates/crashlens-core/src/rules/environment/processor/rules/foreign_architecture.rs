//! Packages for another kind of processor than the interpreter's.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rule::{Remedy, Risk};
use crate::survey::loading::{by_owner, count, involving};
use crate::survey::{Interpreter, NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "CPU003",
    name: "foreign-architecture",
    summary: "A package has shared libraries for another processor architecture than the interpreter's.",
    causes: &[Cause::WrongArchitecture],
    since: "0.1.0",
    doc: include_str!("foreign_architecture.md"),
    judge: Judge::Environment(judge),
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
        .filter_map(|files| hazard(survey, python, own, &files));
    look.found_all(hazards)
}

fn hazard(
    survey: &Survey,
    python: &Interpreter,
    own: &str,
    files: &[&NativeFile],
) -> Option<Hazard> {
    let is_foreign = |file: &&NativeFile| python.is_for_another_processor(file);
    files.iter().copied().find(is_foreign)?;
    let package = files.first()?.package.as_ref();
    let distribution = package.and_then(|package| survey.distribution(&package.name));
    // A copy that lies behind the one that Python finds harms nobody.
    let files = match distribution {
        Some(distribution) => survey.of_copy(distribution, files),
        None => files.to_vec(),
    };
    let modules: Vec<_> = files.into_iter().filter(|file| is_module(file)).collect();
    let foreign: Vec<_> = modules.iter().copied().filter(is_foreign).collect();
    let is_whole = foreign.len() == modules.len();
    // Some packages carry parts for several kinds; but a module whose name is for this very Python is for nobody else.
    let is_wrong = |file: &&&NativeFile| is_whole || is_named_for(own, file);
    let file = foreign.iter().find(is_wrong)?;
    let kind = file.architecture.known()?;
    let title = if is_whole {
        file.owner_with_version()
    } else {
        file.title()
    };
    let others = match (is_whole, foreign.len()) {
        (true, 1) => "it is the only native module of the package".to_owned(),
        (true, all) => format!("so are all {all} native modules of the package"),
        (false, _) => "its name says that it is for this Python".to_owned(),
    };
    let headline = format!("{title} is for {kind} processors, and this Python is for {own}");
    let mut hazard = Hazard::new(Severity::WillFail, Cause::WrongArchitecture, headline)
        .because(file.fact(), format!("{} is an ELF file for {kind}; {others}.", file.name()))
        .because(FactRef::Python, format!("The interpreter is an ELF file for {own}: the loader refuses the others, or Python does not find them."))
        .unless("Another interpreter uses this folder of packages, one that is for the same processor as they are");
    hazard = involving(hazard, &foreign);
    Some(hazard.remedy(again(file)))
}

fn again(file: &NativeFile) -> Remedy {
    let again = match &file.package {
        Some(package) => Remedy::new(format!(
            "Install {} with the pip of this Python, on the machine that it is to run on.",
            package.name
        ))
        .command_if(Survey::reinstall(package)),
        None => Remedy::new("Build the file anew with this Python."),
    };
    again.risk(Risk::Environment)
}

/// Whether Python imports it, or would where it was built for.
fn is_module(file: &NativeFile) -> bool {
    let name = file.name();
    file.extension.is_some() || name.contains(".cpython-") || name.contains(".abi3.")
}

/// Whether the tag in its name is that of this Python and this processor: `cpython-311-x86_64-linux-gnu`.
fn is_named_for(own: &str, file: &NativeFile) -> bool {
    let extension = file.extension.as_ref().filter(|it| it.is_importable);
    let tag = extension.map_or("", |extension| extension.tag.as_str());
    let machine = tag.split('-').nth(2).unwrap_or_default();
    tag.starts_with("cpython-") && machine.replace('_', "-") == own
}
