//! Lengths far beyond the end of the file whose own checksum is right.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL006",
    name: "wild-length",
    summary: "A TFRecord declares an enormous record length with a valid checksum, which crashes TensorFlow.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("wild_length.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::WildLength),
        says: [
            "declares a length that crashes TensorFlow",
            "declare lengths that crash TensorFlow",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::WildLength, |_| {
        vec![Remedy::new(
            "Do not let TensorFlow open it: take it out of the list of files, and write the records anew from their source.",
        )]
    })
}
