//! Files that make a reader of TensorFlow overwrite its own memory.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL009",
    name: "breaks-reader",
    summary: "A file makes a TensorFlow reader write outside its own memory.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("breaks_reader.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::BreaksReader),
        says: [
            "makes TensorFlow overwrite its own memory",
            "make TensorFlow overwrite its own memory",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::BreaksReader, |_| {
        vec![Remedy::new(
            "Do not let TensorFlow decode it: convert it first, or take it out of the list of files.",
        )]
    })
}
