//! Parts of models that others name and that are not there.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "MDL002",
    name: "missing-part",
    asks: "parts of models that others name and that are not there",
    says: ["lacks a part", "lack parts"],
    cause: Cause::CorruptModelFile,
    since: "0.1.0",
    doc: include_str!("missing_part.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::MissingPart, |_| {
        vec![Remedy::new(
            "Copy it again with everything beside it: all files of the prefix, or the whole folder.",
        )]
    })
}
