//! Bytes behind the end of a file.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL007",
    name: "trailing-bytes",
    asks: "bytes behind the end of a file",
    says: ["has bytes behind its end", "have bytes behind their end"],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("trailing_bytes.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::TrailingBytes, |_| {
        vec![Remedy::new(
            "Compare it with the original; bytes behind the end are harmless in themselves, and a sign that something wrote to the file.",
        )]
    })
}
