//! Files that break the rules of their format.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Format, Setting, flawed};
use crate::rule::Remedy;
use crate::rules::files::data::tables;

pub(super) static RULE: Rule = Rule {
    id: "FIL004",
    name: "malformed-file",
    summary: "A file breaks the rules of its format, and TensorFlow's reader does not accept it.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("malformed_file.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::Malformed),
        says: [
            "breaks the rules of its format",
            "break the rules of their formats",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    // These have a rule of their own, `damaged-tflite`: most of what is wrong in them kills.
    if facts.format == Some(Format::Tflite) {
        return Vec::new();
    }
    flawed(facts, setting, FlawKind::Malformed, |flaw| {
        let todo = tables::remedy(facts, flaw).unwrap_or(
            "Copy or make it again; if another program can read it, let that one write it anew.",
        );
        vec![Remedy::new(todo)]
    })
}
