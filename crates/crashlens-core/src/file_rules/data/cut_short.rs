//! Files that end before what they declare does.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL001",
    name: "cut-short",
    asks: "files that end before what they declare does",
    says: ["is cut short", "are cut short"],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("cut_short.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::CutShort, |_| {
        vec![Remedy::new(
            "Copy or download it again, and compare its size with that of the original.",
        )]
    })
}
