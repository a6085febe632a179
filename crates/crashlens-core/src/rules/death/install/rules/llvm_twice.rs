//! Two copies of LLVM met in one process.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, NativeSight};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::install::llvm_frames;

pub(super) static RULE: Rule = Rule {
    id: "INS007",
    name: "llvm-twice",
    summary: "Two copies of LLVM met in one process, for example those of TensorFlow and Triton.",
    causes: &[Cause::LibraryClash],
    since: "0.1.0",
    doc: include_str!("llvm_twice.md"),
    judge: Judge::Death(judge),
};

/// Frames from the fault outwards within which an initialiser is still what runs.
const NEAR: usize = 8;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let frames = facts.acting_frames();
    let initialiser = frames
        .iter()
        .take(NEAR)
        .find(|it| it.function().starts_with("_GLOBAL__sub_I"));
    let of_llvm = frames.iter().take(NEAR).find(|it| {
        ["llvm::", "mlir::"]
            .iter()
            .any(|name| it.function().contains(name))
    });
    let said = facts.sign("llvm-options-twice");
    let twice = facts.sign("llvm-option-registered-twice");
    if said.is_none() && twice.is_none() && (initialiser.is_none() || of_llvm.is_none()) {
        return None;
    }
    let mut suspicion = Suspicion::new(Cause::LibraryClash, headline(facts, initialiser));
    for sight in [said, twice].into_iter().flatten() {
        suspicion = suspicion.supported(
            Weight::Decisive,
            sight.fact.clone(),
            format!("LLVM said: {}", sight.said()),
        );
    }
    if let (Some(initialiser), Some(of_llvm)) = (initialiser, of_llvm) {
        suspicion = llvm_frames::weigh_in(facts, suspicion, initialiser, of_llvm);
    }
    Some(
        suspicion
            .remedy(Remedy::new(first_import(initialiser)))
            .remedy(
                Remedy::new("Or use a TensorFlow that keeps its symbols to itself.")
                    .command_if(Pip::install(["tensorflow<2.19"]))
                    .risk(Risk::Environment),
            ),
    )
}

fn headline(facts: &Facts<'_>, initialiser: Option<&NativeSight<'_>>) -> String {
    let other = initialiser
        .map(NativeSight::library)
        .filter(|it| !it.is_empty());
    match (other, llvm_frames::offers_symbols(facts)) {
        (Some(other), true) => format!(
            "{other} and TensorFlow each bring LLVM, and {other} got TensorFlow's while it was being loaded"
        ),
        (Some(other), false) => format!(
            "{other} and another library each bring LLVM, and they got mixed while it was being loaded"
        ),
        (None, _) => "Two libraries in the process each bring LLVM, and they got mixed".to_owned(),
    }
}

fn first_import(initialiser: Option<&NativeSight<'_>>) -> String {
    let name = initialiser
        .and_then(NativeSight::package_folder)
        .unwrap_or("the other package");
    format!(
        "Import {name} before tensorflow, at the top of the program: it then finds its own LLVM."
    )
}
