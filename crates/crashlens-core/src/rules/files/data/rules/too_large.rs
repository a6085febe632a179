//! Files that would need more memory than allowed once decoded.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL010",
    name: "too-large",
    summary: "A file would need more memory than allowed once it is decoded.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("too_large.md"),
    judge: Judge::File {
        looks_at: Scope::All,
        says: [
            "would need more memory than allowed",
            "would need more memory than allowed",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::TooLarge, |_| {
        vec![Remedy::new(
            "Find out whether it is meant to be that large; `--max-pixels` and `--max-unpacked` raise the limits of this check.",
        )]
    })
}
