//! Text whose stack repeats itself, or says that it was full.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::remedy::Again;
use crate::rule::{Remedy, Risk, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM012",
    name: "deep-recursion",
    summary: "The text shows a stack overflow: a fatal message, or thousands of repeating frames.",
    causes: &[Cause::StackOverflow],
    since: "0.1.0",
    doc: include_str!("deep_recursion.md"),
    judge: Judge::Death(judge),
};

/// Frames of which no program has as many without recursion.
const DEEP: usize = 1000;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let words = facts
        .sign("stack-overflow-words")
        .or_else(|| facts.windows_sign("windows-stack-overflow"));
    if let Some(sight) = words {
        let claim = format!("It said `{}`.", excerpt(sight.text));
        let headline = "Calls were nested so deep that the stack was full";
        return Some(suspect(
            headline.to_owned(),
            Weight::Decisive,
            sight.fact.clone(),
            claim,
        ));
    }
    let is_fault = [None, Some(Signal::SEGV), Some(Signal::BUS)].contains(&facts.signal());
    if !facts.is_text() || !is_fault {
        return None;
    }
    let deep = facts.deep_recursion(DEEP)?;
    let headline = format!("`{}` called itself until the stack was full", deep.function);
    let claim = format!(
        "The stack has {} frames or more, and `{}` is in it again and again.",
        deep.depth, deep.function
    );
    Some(suspect(headline, Weight::Strong, deep.fact, claim))
}

fn suspect(headline: String, weight: Weight, fact: FactRef, claim: String) -> Suspicion {
    Suspicion::new(Cause::StackOverflow, headline)
        .supported(weight, fact, claim)
        .remedy(Remedy::new("End the recursion earlier, or make a loop of it; deeply nested models and expressions count as well."))
        .remedy(Remedy::new("Leave sys.setrecursionlimit alone: with the usual 1000 Python raises RecursionError first."))
        .remedy(
            Remedy::new("See whether a larger stack is enough (8192 KB is usual); endless recursion fills that, too.")
                .command(Again::new().after_words("ulimit -s 65536;"))
                .risk(Risk::Environment),
        )
}
