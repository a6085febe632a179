//! Files that break the rules of their format.

use super::tables;
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Format, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL004",
    name: "malformed-file",
    asks: "files that break the rules of their format",
    says: [
        "breaks the rules of its format",
        "break the rules of their formats",
    ],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("malformed_file.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    // These have a rule of their own, `damaged-tflite`: most of what is wrong in them kills.
    if facts.format == Some(Format::Tflite) {
        return Vec::new();
    }
    flawed(facts, setting, FlawKind::Malformed, |flaw| {
        let todo = tables::remedy(facts, flaw).unwrap_or(
            "Copy or make it again; if another program can read it, let that one write it anew.",
        );
        vec![Remedy::new(todo)]
    })
}
