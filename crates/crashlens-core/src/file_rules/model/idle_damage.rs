//! Models that are damaged where TensorFlow does not look.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "MDL021",
    name: "idle-damage",
    asks: "files that are damaged where their readers do not look",
    says: [
        "is damaged where TensorFlow does not look",
        "are damaged where TensorFlow does not look",
    ],
    cause: Cause::CorruptModelFile,
    since: "0.1.0",
    doc: include_str!("idle_damage.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::IdlePart, |_| {
        vec![Remedy::new(
            "Compare its hash with that of the original: what was damaged here may be damaged elsewhere too.",
        )]
    })
}
