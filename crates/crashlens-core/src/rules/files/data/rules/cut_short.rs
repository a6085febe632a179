//! Files that end before what they declare does.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL001",
    name: "cut-short",
    summary: "A file ends before the data it declares.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("cut_short.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::CutShort),
        says: ["is cut short", "are cut short"],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::CutShort, |_| {
        vec![Remedy::new(
            "Copy or download it again, and compare its size with that of the original.",
        )]
    })
}
