//! Files that another process has open for writing right now.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL015",
    name: "open-for-writing",
    summary: "Another process has a file open for writing.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("open_for_writing.md"),
    judge: Judge::File {
        looks_at: Scope::All,
        says: [
            "is being written by another process",
            "are being written by other processes",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::OpenForWriting)
        .map(|flaw| {
            FileFinding::new(Severity::CanCrash, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(
                    EffectKind::NotTried,
                    &[],
                    "what is read depends on the moment",
                )
                .remedy(Remedy::new(
                    "Wait until the writer is done, then check again; train on a copy.",
                ))
        })
        .collect()
}
