//! Parts of one file that contradict each other: shape and bytes, index and data.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;
use crate::rules::files::data::tables;

pub(super) static RULE: Rule = Rule {
    id: "FIL005",
    name: "contradicting-parts",
    summary: "Parts of a file contradict each other, such as a shape and the number of stored bytes.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("contradicting_parts.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::Contradiction),
        says: [
            "has parts that contradict each other",
            "have parts that contradict each other",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::Contradiction, |flaw| {
        let todo = tables::remedy(facts, flaw).unwrap_or(
            "Make it again from its source: one of its parts is not from the same save as the others.",
        );
        vec![Remedy::new(todo)]
    })
}
