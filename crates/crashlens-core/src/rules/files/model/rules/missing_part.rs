//! Parts of models that others name and that are not there.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL002",
    name: "missing-part",
    summary: "A part of a model that another part names is missing.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("missing_part.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::MissingPart),
        says: ["lacks a part", "lack parts"],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::MissingPart, |_| {
        vec![Remedy::new(
            "Copy it again with everything beside it: all files of the prefix, or the whole folder.",
        )]
    })
}
