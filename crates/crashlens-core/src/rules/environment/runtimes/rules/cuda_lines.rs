//! Frameworks in one environment that were built for different lines of CUDA.

use std::collections::BTreeMap;

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rule::{Remedy, Risk};
use crate::rules::environment::runtimes::cuda_uses;
use crate::survey::{NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "TWO004",
    name: "cuda-lines",
    summary: "Packages of one environment use CUDA libraries of different major versions.",
    causes: &[Cause::GpuLibraryMismatch],
    since: "0.1.0",
    doc: include_str!("cuda_lines.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let mut hazards = Vec::new();
    let mut users = 0;
    for library in cuda_uses::LIBRARIES {
        let lines = cuda_uses::lines(survey, library);
        users += lines.len();
        hazards.extend(hazard(survey, library, &lines));
    }
    if users == 0 {
        return Look::nothing();
    }
    // The runtime, cuBLAS and cuDNN of one framework differ together: it is one hazard.
    hazards.truncate(1);
    Look::at("packages that need CUDA's libraries").found_all(hazards)
}

fn hazard(survey: &Survey, library: &str, lines: &BTreeMap<u64, &NativeFile>) -> Option<Hazard> {
    let (old, first) = lines.first_key_value()?;
    let (new, second) = lines.last_key_value()?;
    if old == new || first.owner() == second.owner() {
        return None;
    }
    let library = library.trim_end_matches(".so.");
    let headline = format!(
        "{} uses {library} {old} and {} uses {library} {new}: two lines of CUDA in one environment",
        first.owner_with_version(),
        second.owner_with_version()
    );
    // Without a GPU neither of them is asked to do anything.
    let severity = if survey.has_gpu() {
        Severity::CanCrash
    } else {
        Severity::WorthKnowing
    };
    let needs =
        |file: &NativeFile, line: &u64| format!("{} uses {library}.so.{line}.", file.name());
    let mut hazard = Hazard::new(severity, Cause::GpuLibraryMismatch, headline)
        .because(first.fact(), needs(first, old))
        .because(second.fact(), needs(second, new))
        .file(first.path.clone())
        .file(second.path.clone())
        .unless(
            "The two are used in separate processes, or both work in one: many programs run so",
        );
    if survey.gpu.driver.known().is_some() {
        let fact = FactRef::Host {
            field: "driver".to_owned(),
        };
        hazard = hazard.because(fact, "This machine has a GPU driver.");
    }
    hazard.packages.extend(first.package.clone());
    hazard.packages.extend(second.package.clone());
    let apart =
        Remedy::new("If a program dies that uses both, try it with one of the two at a time.");
    let one = Remedy::new("Install both for the same line of CUDA.").risk(Risk::Environment);
    Some(hazard.remedy(apart).remedy(one))
}
