//! Files that have changed since the manifest was made.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL016",
    name: "off-manifest",
    summary: "The bytes of a file differ from those recorded in the manifest.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("off_manifest.md"),
    judge: Judge::File {
        looks_at: Scope::Listed,
        says: [
            "has changed since the manifest was made",
            "have changed since the manifest was made",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::OffManifest)
        .map(|flaw| {
            FileFinding::new(Severity::CanCrash, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(
                    EffectKind::WrongValues,
                    &[],
                    "bytes that changed in a format without checksums are read as they are",
                )
                .remedy(Remedy::new("Restore it from the copy that the manifest was made of; if the change was meant, delete the manifest and make a new one."))
        })
        .collect()
}
