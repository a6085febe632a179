//! The answer where nothing else is likely: what is known, and the one step that gets the missing piece.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::rule::Suspicion;
use crate::rules::death::verdicts::known::Known;

pub(super) static RULE: Rule = Rule {
    id: "VER001",
    name: "insufficient-evidence",
    summary: "The evidence does not determine why the process died.",
    causes: &[Cause::InsufficientEvidence],
    since: "0.1.0",
    doc: include_str!("insufficient_evidence.md"),
    judge: Judge::Death(judge),
};

#[expect(clippy::unnecessary_wraps, reason = "what every rule has")]
fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let Known {
        headline,
        fact,
        claim,
        next,
    } = Known::of(facts);
    Some(
        Suspicion::new(Cause::InsufficientEvidence, headline)
            .supported(Weight::Weak, fact, claim)
            .remedy(next),
    )
}
