//! Files with the same bytes as another.

use crate::book::{Judge, Rule, Scope};
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL020",
    name: "duplicate-file",
    summary: "Two files in the set have the same bytes.",
    causes: &[],
    since: "0.1.0",
    doc: include_str!("duplicate_file.md"),
    judge: Judge::File {
        looks_at: Scope::All,
        says: [
            "has the same bytes as another file",
            "have the same bytes as other files",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::Duplicate)
        .map(|flaw| {
            FileFinding::new(Severity::WorthKnowing, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(
                    EffectKind::Odd,
                    &[],
                    "every copy is read",
                )
                .remedy(Remedy::new("Remove the copies, or make sure that no copy is both in the training and the validation set."))
        })
        .collect()
}
