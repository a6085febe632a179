//! Files that make a reader of TensorFlow overwrite its own memory.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL009",
    name: "breaks-reader",
    asks: "files that make a reader of TensorFlow overwrite its own memory",
    says: [
        "makes TensorFlow overwrite its own memory",
        "make TensorFlow overwrite its own memory",
    ],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("breaks_reader.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::BreaksReader, |_| {
        vec![Remedy::new(
            "Do not let TensorFlow decode it: convert it first, or take it out of the list of files.",
        )]
    })
}
