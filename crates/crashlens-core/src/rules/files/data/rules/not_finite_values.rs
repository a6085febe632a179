//! NaN and infinite values in data.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL013",
    name: "not-finite-values",
    summary: "A data file contains NaN or infinite values.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("not_finite_values.md"),
    judge: Judge::File {
        looks_at: Scope::Values,
        says: [
            "has values that are no numbers",
            "have values that are no numbers",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    // Weights have a rule of their own.
    if facts.model().is_some() {
        return Vec::new();
    }
    facts
        .flaws_of(FlawKind::NotFinite)
        .map(|flaw| {
            FileFinding::new(Severity::CanCrash, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(
                    EffectKind::WrongValues,
                    &[],
                    "the values are read as they are, and one of them makes the loss NaN for good",
                )
                .remedy(Remedy::new("Find where they come from and drop or replace them: one of them makes the loss NaN."))
        })
        .collect()
}
