//! What the mixture leaves on a stack.

use crate::evidence::Weight;
use crate::facts::{Facts, NativeSight};
use crate::rule::Suspicion;

/// TensorFlow offers its symbols to every library that is loaded later, since this version.
const FIRST_GLOBAL: [u64; 2] = [2, 19];

pub(super) fn weigh_in(
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

pub(super) fn offers_symbols(facts: &Facts<'_>) -> bool {
    let version = facts.tensorflow().and_then(|installed| installed.version());
    let loaded = facts.is_text() || facts.modules_named("libtensorflow").next().is_some();
    loaded && version.is_some_and(|version| version.release() >= FIRST_GLOBAL.as_slice())
}
