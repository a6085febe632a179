//! Two OpenMP runtimes of LLVM's family, of which a process takes only one.

use std::collections::BTreeMap;

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Again;
use crate::rule::{Remedy, Risk};
use crate::survey::loading::count;
use crate::survey::{NativeFile, OpenMp, Survey};

pub(super) static RULE: Rule = Rule {
    id: "TWO003",
    name: "openmp-runtimes",
    summary: "Two OpenMP runtimes of the LLVM and Intel family (`libomp`, `libiomp5`) are installed.",
    causes: &[Cause::DuplicateOpenmp],
    since: "0.1.0",
    doc: include_str!("openmp_runtimes.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let all = survey.native.iter().filter(|file| file.openmp.is_some());
    let number = all.count();
    if number == 0 {
        return Look::nothing();
    }
    let mut runtimes: BTreeMap<&str, &NativeFile> = BTreeMap::new();
    for file in survey.native.iter().filter(|file| is_of_family(file)) {
        // A library that asks for `libiomp5.so` gets the one that is loaded already: one name, one runtime.
        let name = file.soname.as_deref().unwrap_or_else(|| file.name());
        runtimes.entry(name).or_insert(file);
    }
    let look = Look::at(count(number, "OpenMP runtime", "OpenMP runtimes"));
    let files: Vec<_> = runtimes.into_values().collect();
    match hazard(&files) {
        Some(hazard) => look.found(hazard),
        None => look,
    }
}

/// GNU's is another program and gets along with both.
fn is_of_family(file: &NativeFile) -> bool {
    matches!(file.openmp, Some(OpenMp::Llvm | OpenMp::Intel))
}

fn hazard(files: &[&NativeFile]) -> Option<Hazard> {
    let [first, rest @ ..] = files else {
        return None;
    };
    // A package that brings two of them knows which it loads.
    let second = rest
        .iter()
        .find(|file| file.package.is_none() || file.owner() != first.owner())?;
    let headline = format!(
        "{} and {} are the same OpenMP runtime twice; a process that loads both is ended",
        first.title(),
        second.title()
    );
    let mut hazard = Hazard::new(Severity::CanCrash, Cause::DuplicateOpenmp, headline)
        .because(first.fact(), words(first))
        .because(second.fact(), words(second))
        .file(first.path.clone())
        .file(second.path.clone())
        .unless(
            "No program loads both: the packages that need them are used in separate processes",
        );
    hazard.packages.extend(first.package.clone());
    hazard.packages.extend(second.package.clone());
    let keep = Remedy::new(
        "Keep one of the two: install the packages that need them from one source (all with pip, or all from one conda channel).",
    );
    let go_on = Remedy::new("To get one run through, let the runtime go on; its own text warns of crashes and wrong results.")
        .command(Again::new().set("KMP_DUPLICATE_LIB_OK", "TRUE"));
    Some(
        hazard
            .remedy(keep.risk(Risk::Environment))
            .remedy(go_on.risk(Risk::Results)),
    )
}

fn words(file: &NativeFile) -> String {
    let kind = match file.openmp {
        Some(OpenMp::Intel) => "Intel's build (libiomp5)",
        _ => "LLVM's own build (libomp)",
    };
    format!(
        "{} is an OpenMP runtime of LLVM's family: {kind}.",
        file.name()
    )
}
