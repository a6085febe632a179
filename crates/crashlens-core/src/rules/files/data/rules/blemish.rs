//! Files that break a rule of their format which readers let pass.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Format, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL021",
    name: "blemish",
    summary: "A file breaks a rule of its format, or uses it unusually, in a way that TensorFlow tolerates.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("blemish.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::Blemish),
        says: ["has a blemish", "have blemishes"],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let todo = if facts.format == Some(Format::Csv) {
        "Give the column its type and a default in `record_defaults`, or fill in the values."
    } else {
        "Compare it with the original; what is amiss does no harm here, and something made it so."
    };
    flawed(facts, setting, FlawKind::Blemish, |_| {
        vec![Remedy::new(todo)]
    })
}
