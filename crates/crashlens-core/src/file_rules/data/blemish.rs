//! Files that break a rule of their format which readers let pass.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Format, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL021",
    name: "blemish",
    asks: "files that break a rule of their format which readers let pass",
    says: ["has a blemish", "have blemishes"],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("blemish.md"),
    judge: Judge::File(judge),
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
