//! Bytes behind the end of a file.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL007",
    name: "trailing-bytes",
    summary: "A file continues after the end that its format gives.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("trailing_bytes.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::TrailingBytes),
        says: ["has bytes behind its end", "have bytes behind their end"],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::TrailingBytes, |_| {
        vec![Remedy::new(
            "Compare it with the original; bytes behind the end are harmless in themselves, and a sign that something wrote to the file.",
        )]
    })
}
