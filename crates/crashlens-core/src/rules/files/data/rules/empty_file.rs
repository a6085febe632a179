//! Files without any bytes.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL002",
    name: "empty-file",
    summary: "A file has no bytes.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("empty_file.md"),
    judge: Judge::File {
        looks_at: Scope::All,
        says: ["is empty", "are empty"],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::Empty, |_| {
        vec![Remedy::new(
            "Make or copy it again; a file of 0 bytes is what a killed program or a full disk leaves.",
        )]
    })
}
