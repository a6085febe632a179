//! Parts of one file that contradict each other: shape and bytes, index and data.

use super::tables;
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL005",
    name: "contradicting-parts",
    asks: "parts of one file that contradict each other: shape and bytes, index and data",
    says: [
        "has parts that contradict each other",
        "have parts that contradict each other",
    ],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("contradicting_parts.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::Contradiction, |flaw| {
        let todo = tables::remedy(facts, flaw).unwrap_or(
            "Make it again from its source: one of its parts is not from the same save as the others.",
        );
        vec![Remedy::new(todo)]
    })
}
