//! Models that are damaged where TensorFlow does not look.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL021",
    name: "idle-damage",
    summary: "A file is corrupted in a part that TensorFlow does not read.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("idle_damage.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::IdlePart),
        says: [
            "is damaged where TensorFlow does not look",
            "are damaged where TensorFlow does not look",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::IdlePart, |_| {
        vec![Remedy::new(
            "Compare its hash with that of the original: what was damaged here may be damaged elsewhere too.",
        )]
    })
}
