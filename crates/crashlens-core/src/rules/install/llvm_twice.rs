//! Two copies of LLVM met in one process.

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, NativeSight};
use crate::rule::{Remedy, Risk, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "INS007",
    name: "llvm-twice",
    causes: &[Cause::LibraryClash],
    since: "0.1.0",
    doc: include_str!("llvm_twice.md"),
    judge,
};

/// TensorFlow offers its symbols to every library that is loaded later, since this version.
const FIRST_GLOBAL: [u64; 2] = [2, 19];

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
        suspicion = by_frames(facts, suspicion, initialiser, of_llvm);
    }
    Some(
        suspicion
            .remedy(Remedy::new(first_import(initialiser)))
            .remedy(
                Remedy::new("Or use a TensorFlow that keeps its symbols to itself.")
                    .command("pip install 'tensorflow<2.19'")
                    .risk(Risk::Environment),
            ),
    )
}

fn headline(facts: &Facts<'_>, initialiser: Option<&NativeSight<'_>>) -> String {
    let other = initialiser
        .map(|sight| sight.library())
        .filter(|it| !it.is_empty());
    match (other, offers_symbols(facts)) {
        (Some(other), true) => format!(
            "{other} and TensorFlow each bring LLVM, and {other} got TensorFlow's while it was being loaded"
        ),
        (Some(other), false) => format!(
            "{other} and another library each bring LLVM, and they got mixed while it was being loaded"
        ),
        (None, _) => "Two libraries in the process each bring LLVM, and they got mixed".to_owned(),
    }
}

fn by_frames(
    facts: &Facts<'_>,
    suspicion: Suspicion,
    initialiser: &NativeSight<'_>,
    of_llvm: &NativeSight<'_>,
) -> Suspicion {
    if initialiser.library() != of_llvm.library() && !of_llvm.library().is_empty() {
        let claim = format!(
            "{}, called by {}, ran in {} instead.",
            super::short(of_llvm.function()),
            initialiser.library(),
            of_llvm.library()
        );
        return suspicion.supported(Weight::Decisive, of_llvm.fact.clone(), claim);
    }
    // A variable of the other copy leaves no trace on the stack.
    let weight = if offers_symbols(facts) && !initialiser.is_of_tensorflow() {
        Weight::Strong
    } else {
        Weight::Weak
    };
    let claim = format!(
        "It died in {} while {} was setting up its variables.",
        super::short(of_llvm.function()),
        initialiser.library()
    );
    let suspicion = suspicion.supported(weight, of_llvm.fact.clone(), claim);
    match facts.tensorflow().filter(|_| weight == Weight::Strong) {
        Some(tensorflow) => suspicion.supported(
            Weight::Strong,
            tensorflow.fact,
            format!(
                "TensorFlow {} was loaded before, which offers its LLVM to all.",
                tensorflow.package.version
            ),
        ),
        None => suspicion,
    }
}

fn offers_symbols(facts: &Facts<'_>) -> bool {
    let version = facts.tensorflow().and_then(|installed| installed.version());
    let loaded = facts.is_text() || facts.modules_named("libtensorflow").next().is_some();
    loaded && version.is_some_and(|version| version.release() >= FIRST_GLOBAL.as_slice())
}

fn first_import(initialiser: Option<&NativeSight<'_>>) -> String {
    let name = initialiser
        .and_then(NativeSight::package_folder)
        .unwrap_or("the other package");
    format!(
        "Import {name} before tensorflow, at the top of the program: it then finds its own LLVM."
    )
}
