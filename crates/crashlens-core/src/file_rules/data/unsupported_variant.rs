//! Valid files that TensorFlow has no reader for.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL008",
    name: "unsupported-variant",
    asks: "valid files that TensorFlow has no reader for",
    says: [
        "is of a kind that TensorFlow does not read",
        "are of a kind that TensorFlow does not read",
    ],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("unsupported_variant.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, FlawKind::Unsupported, |_| {
        vec![Remedy::new(
            "Convert it to a format that TensorFlow reads; for an image PNG keeps every pixel as it is.",
        )]
    })
}
