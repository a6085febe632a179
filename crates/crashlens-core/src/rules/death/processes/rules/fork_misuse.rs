//! A forked child used what does not survive a fork.

use crate::book::{Judge, Rule};
use crate::capture::{Lineage, Origin};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::processes::after_fork::{Trace, in_child};

pub(super) static RULE: Rule = Rule {
    id: "PRO001",
    name: "fork-misuse",
    summary: "The process was forked after its parent had started threads or initialized a GPU.",
    causes: &[Cause::ForkMisuse],
    since: "0.1.0",
    doc: include_str!("fork_misuse.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let testimony = &facts.capture().testimony;
    // What a program hands to C by itself fails in any process.
    if testimony.foreign_call.known().is_some() {
        return None;
    }
    let origin = facts.lineage().map(|lineage| lineage.origin);
    let Trace {
        weight,
        fact,
        claim,
        what,
    } = in_child(facts)?;
    let headline = if weight == Weight::Weak {
        format!("It used {what}, which does not survive a fork: perhaps in a forked worker")
    } else {
        format!("A forked worker used {what}, which does not survive a fork")
    };
    let mut suspicion = Suspicion::new(Cause::ForkMisuse, headline).supported(weight, fact, claim);
    if let Some(lineage) = facts.forked() {
        suspicion = with_threads(lineage, suspicion);
    } else if matches!(origin, Some(Origin::Started | Origin::Spawned)) {
        let claim = "The process was started as a program of its own, not forked.";
        suspicion = suspicion.opposed(Weight::Decisive, FactRef::Lineage, claim);
    }
    if let Some(sight) = facts.sign("warned-of-fork") {
        let claim = format!("It was warned: \"{}\".", excerpt(sight.text));
        suspicion = suspicion.supported(Weight::Weak, sight.fact.clone(), claim);
    }
    Some(with_remedies(suspicion))
}

fn with_threads(lineage: &Lineage, suspicion: Suspicion) -> Suspicion {
    let Some(threads) = lineage
        .parent_threads_at_fork
        .filter(|threads| *threads > 1)
    else {
        return suspicion;
    };
    let of_tensorflow = match lineage.tensorflow_threads_at_fork {
        Some(count) if count > 0 => format!(", {count} of them TensorFlow's"),
        _ => String::new(),
    };
    let claim = format!(
        "Its parent had {threads} threads when it forked{of_tensorflow}; the child has none of them."
    );
    suspicion.supported(Weight::Weak, FactRef::Lineage, claim)
}

fn with_remedies(suspicion: Suspicion) -> Suspicion {
    suspicion
        .remedy(Remedy::new(
            "Start workers afresh instead of forking them: `multiprocessing.set_start_method('spawn')` as the first \
             statement of the main program.",
        ))
        .remedy(Remedy::new(
            "Or fork first: start the workers before TensorFlow, CUDA or gRPC is imported and used, and import them inside \
             the worker's function.",
        ))
}
