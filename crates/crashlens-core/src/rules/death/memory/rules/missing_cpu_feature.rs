//! A library said itself that the processor lacks what it was built for.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Risk, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM016",
    name: "missing-cpu-feature",
    summary: "A library checked the processor at startup, found a feature missing, and stopped the process.",
    causes: &[Cause::IllegalInstruction],
    since: "0.1.0",
    doc: include_str!("missing_cpu_feature.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let suspicion = match (
        facts
            .sign("compiled-for-instructions")
            .or_else(|| facts.sign("processor-refused")),
        facts.sign("xbyak-error"),
    ) {
        (Some(sight), _) => {
            let features = sight.group("features").unwrap_or("newer");
            let headline = format!(
                "The library was built to use {features} instructions, which this processor does not have"
            );
            let claim = format!("It said `{}`.", excerpt(sight.text));
            Suspicion::new(Cause::IllegalInstruction, headline).supported(
                Weight::Decisive,
                sight.fact.clone(),
                claim,
            )
        }
        (None, Some(sight)) => {
            let headline = "oneDNN's code generator (Xbyak) could not make code for this processor";
            let claim =
                "It threw `Xbyak::Error`, as it does on processors whose features it cannot use.";
            Suspicion::new(Cause::IllegalInstruction, headline).supported(
                Weight::Strong,
                sight.fact.clone(),
                claim,
            )
        }
        (None, None) => return None,
    };
    let see = Remedy::new(
        "See which features the processor has; virtual machines may hide some (CPU type `host` shows all).",
    );
    let older = Remedy::new(
        "Install a build without them: TensorFlow up to 1.5 needs no AVX, conda's builds need less than the wheels.",
    );
    Some(
        suspicion
            .remedy(see.command("grep -m1 flags /proc/cpuinfo"))
            .remedy(older.risk(Risk::Environment)),
    )
}
