//! Files without any bytes.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL002",
    name: "empty-file",
    asks: "files without any bytes",
    says: ["is empty", "are empty"],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("empty_file.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::Empty, |_| {
        vec![Remedy::new(
            "Make or copy it again; a file of 0 bytes is what a killed program or a full disk leaves.",
        )]
    })
}
