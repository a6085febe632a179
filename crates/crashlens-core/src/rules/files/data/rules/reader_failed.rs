//! Files on which a decoder of crashlens itself failed.

use crate::book::{Judge, Rule, Scope};
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL019",
    name: "reader-failed",
    summary: "A decoder of crashlens failed on a file, which was therefore not fully checked.",
    causes: &[],
    since: "0.1.0",
    doc: include_str!("reader_failed.md"),
    judge: Judge::File {
        looks_at: Scope::All,
        says: [
            "made a decoder of crashlens fail",
            "made decoders of crashlens fail",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::ReaderFailed)
        .map(|flaw| {
            FileFinding::new(Severity::CanCrash, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(EffectKind::NotTried, &[], "")
                .remedy(Remedy::new(
                    "Please report it with the file; until then treat the file as not checked.",
                ))
        })
        .collect()
}
