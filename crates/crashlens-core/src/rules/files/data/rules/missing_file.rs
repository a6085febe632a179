//! Files that the manifest lists and that are gone.

use crate::book::{Judge, Rule, Scope};
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL024",
    name: "missing-file",
    summary: "A file that the manifest lists no longer exists.",
    causes: &[],
    since: "0.1.0",
    doc: include_str!("missing_file.md"),
    judge: Judge::File {
        looks_at: Scope::Listed,
        says: [
            "is gone since the manifest was made",
            "are gone since the manifest was made",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::Missing)
        .map(|flaw| {
            FileFinding::new(Severity::CanCrash, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(
                    EffectKind::Raises,
                    &["2.15.1", "2.21.0"],
                    "NotFoundError where a list names it; where a folder is listed, nobody notices that it is missing",
                )
                .remedy(Remedy::new("Bring it back from the copy that the manifest was made of; if it was removed on purpose, delete the manifest and make a new one."))
        })
        .collect()
}
