//! Threads of one copy of the runtime that wait in another.

use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::Suspicion;

/// Functions in which threads of the LLVM or Intel runtime wait for work. They use nothing but the runtime's own table
/// of threads, which is empty in a copy that did not start them.
const WAITS: [&str; 7] = [
    "__kmp_suspend",
    "__kmp_resume",
    "__kmp_release",
    "__kmp_fork_barrier",
    "__kmp_hyper_barrier",
    "__kmp_hyper_barrier_release",
    "kmp_flag",
];

/// Packages that bring a runtime of LLVM or Intel along, as people import them.
const BRING_ONE: [&str; 9] = [
    "torch",
    "sklearn",
    "faiss",
    "xgboost",
    "lightgbm",
    "catboost",
    "tensorflow",
    "numba",
    "mkl",
];

/// A thread of one copy that was woken by the functions of another.
pub(super) fn suspect(facts: &Facts<'_>) -> Option<Suspicion> {
    let top = facts.acting_frames().into_iter().next()?;
    let is_runtime = |name: &str| ["libiomp5", "libomp"].iter().any(|it| name.starts_with(it));
    let waits = WAITS.iter().any(|name| top.function().contains(name));
    if !is_runtime(top.library()) || !waits || !facts.died_of(Signal::SEGV) {
        return None;
    }
    let copies = facts.modules().filter(|it| is_runtime(&it.name)).count();
    let brought = BRING_ONE
        .iter()
        .filter(|name| facts.involves(name).is_some())
        .count();
    let weight = if copies > 1 || brought > 1 {
        Weight::Strong
    } else {
        Weight::Weak
    };
    let name = super::short(top.function());
    let claim = format!(
        "It died in {name} of {}, where a thread waits that no other copy can wake.",
        top.library()
    );
    let mut suspicion = Suspicion::new(
        Cause::DuplicateOpenmp,
        "A thread of one OpenMP runtime was used by another copy of the runtime",
    )
    .supported(weight, top.fact, claim);
    for module in facts
        .modules()
        .filter(|it| copies > 1 && is_runtime(&it.name))
    {
        let (path, claim) = (module.path.clone(), format!("{} was loaded.", module.path));
        suspicion = suspicion.supported(Weight::Weak, FactRef::Module { path }, claim);
    }
    Some(suspicion)
}
