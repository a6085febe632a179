//! Models that break a rule which some readers ask about and others do not.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL025",
    name: "irregular-file",
    summary: "A TensorFlow Lite model breaks a rule that the interpreter ignores and verifying readers enforce.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("irregular_file.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::Irregular),
        says: [
            "is refused by readers that verify it",
            "are refused by readers that verify them",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::Irregular, |_| {
        vec![Remedy::new(
            "Copy or download it again and compare its hash with that of the original; else convert the model anew.",
        )]
    })
}
