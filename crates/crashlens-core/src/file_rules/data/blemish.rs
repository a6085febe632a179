//! Files that break a rule of their format which readers let pass.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
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

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, FlawKind::Blemish, |_| {
        vec![Remedy::new(
            "Compare it with the original; what is amiss does no harm here, and something made it so.",
        )]
    })
}
