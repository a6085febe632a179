//! A second LLVM beside a TensorFlow that offers its own to everybody.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::runtimes::exports;
use crate::shell;
use crate::survey::loading::{by_owner, count};
use crate::survey::{NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "TWO001",
    name: "exported-llvm",
    summary: "A package brings an LLVM that clashes with the one that TensorFlow exports to all libraries.",
    causes: &[Cause::LibraryClash],
    since: "0.1.0",
    doc: include_str!("exported_llvm.md"),
    judge: Judge::Environment(judge),
};

const NAMESPACES: [&str; 2] = ["llvm", "mlir"];

fn judge(survey: &Survey) -> Look {
    if !exports::is_global(survey) {
        return Look::nothing();
    }
    let scope = count(survey.native.len(), "native file", "native files");
    let clashing = survey
        .native
        .iter()
        .filter(|file| exports::shared(file, &NAMESPACES).is_some() && survey.is_reached(file));
    let hazards = by_owner(clashing)
        .into_values()
        .filter_map(|files| hazard(survey, files.first()?));
    Look::at(scope).found_all(hazards)
}

fn hazard(survey: &Survey, file: &NativeFile) -> Option<Hazard> {
    let shared = exports::shared(file, &NAMESPACES)?;
    let tensorflow = survey.tensorflow()?;
    let title = survey.tensorflow_title()?;
    let owner = file.owner_with_version();
    let headline =
        format!("{owner} crashes when it is imported after {title}: both have an LLVM inside");
    let fact = FactRef::Package {
        name: tensorflow.name.clone(),
    };
    let mut hazard = Hazard::new(Severity::CanCrash, Cause::LibraryClash, headline)
        .because(
            file.fact(),
            format!("{} exports {shared} functions of LLVM and MLIR under the same names as TensorFlow.", file.name()),
        )
        .because(fact, format!("{title} loads its libraries for everybody (RTLD_GLOBAL), so that later ones use its LLVM instead of their own."))
        .file(file.path.clone())
        .unless(format!("The program imports {} before tensorflow, or never both in one process", file.owner()));
    hazard.packages.extend(file.package.clone());
    hazard.packages.push(tensorflow.package());
    let first = Remedy::new(format!(
        "Import {} before tensorflow, in every program that uses both.",
        file.owner()
    ));
    let older =
        Remedy::new("Use a TensorFlow that keeps its functions to itself: 2.18 or earlier.")
            .command_if(
                shell::package(&tensorflow.name)
                    .and_then(|name| Pip::install([format!("{name}<2.19")])),
            )
            .risk(Risk::Environment);
    Some(hazard.remedy(first).remedy(older))
}
