//! Models that break a rule which some readers ask about and others do not.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "MDL025",
    name: "irregular-file",
    asks: "files that break a rule of their format which only some readers ask about",
    says: [
        "is refused by readers that verify it",
        "are refused by readers that verify them",
    ],
    cause: Cause::CorruptModelFile,
    since: "0.1.0",
    doc: include_str!("irregular_file.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::Irregular, |_| {
        vec![Remedy::new(
            "Copy or download it again and compare its hash with that of the original; else convert the model anew.",
        )]
    })
}
