//! Files that say themselves that they need a newer processor.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::processor::levels::lacking;
use crate::rules::environment::processor::variants;
use crate::survey::loading::{by_owner, count, involving};
use crate::survey::{NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "CPU001",
    name: "cpu-level",
    summary: "A shared library declares an x86-64 level that this processor does not have.",
    causes: &[Cause::IllegalInstruction],
    since: "0.1.0",
    doc: include_str!("cpu_level.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let files = variants::needed_anyway(survey);
    let levelled: Vec<_> = files
        .into_iter()
        .filter(|file| !file.cpu.levels.is_empty())
        .collect();
    if levelled.is_empty() {
        return Look::nothing();
    }
    let look = Look::at(count(
        levelled.len(),
        "file that names a level",
        "files that name a level",
    ))
    .blind_to(
        "features of the processor",
        &survey.machine.cpu_flags,
        &survey.gaps,
    );
    let Some(flags) = survey.machine.cpu_flags.known() else {
        return look;
    };
    let above = levelled
        .into_iter()
        .filter(|file| lacking(file, flags).is_some());
    let hazards = by_owner(above)
        .into_values()
        .filter_map(|files| hazard(flags, &files));
    look.found_all(hazards)
}

fn hazard(flags: &[String], files: &[&NativeFile]) -> Option<Hazard> {
    let file = files.first()?;
    let (level, missing) = lacking(file, flags)?;
    let owner = file.owner_with_version();
    let headline = format!(
        "{owner} cannot be loaded: it needs a processor of level {level}, and this one has no {missing}"
    );
    let fact = FactRef::Host {
        field: "cpu_flags".to_owned(),
    };
    let mut hazard = Hazard::new(Severity::WillFail, Cause::IllegalInstruction, headline)
        .because(file.fact(), format!("{} says in its notes that it needs {level}; the loader refuses it otherwise: \"CPU ISA level is lower than required\".", file.name()))
        .because(fact, format!("The kernel does not list {missing}."))
        .unless("The program runs on another machine than this one, or never loads the file");
    hazard = involving(hazard, files);
    hazard.remedies.extend(remedies(file));
    Some(hazard)
}

fn remedies(file: &NativeFile) -> Vec<Remedy> {
    let machine = Remedy::new(
        "Use a newer machine; in a virtual machine, let it see the host's processor (cpu mode host-passthrough).",
    );
    let build = match &file.package {
        Some(package) => Remedy::new(format!(
            "Build {} from source on this machine.",
            package.name
        ))
        .command_if(Pip::build(&package.name)),
        None => Remedy::new("Build the file anew without -march and without -z x86-64-v3 or -v4."),
    };
    vec![machine, build.risk(Risk::Environment)]
}
