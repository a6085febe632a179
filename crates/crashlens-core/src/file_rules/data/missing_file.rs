//! Files that the manifest lists and that are gone.

use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL024",
    name: "missing-file",
    asks: "files that the manifest lists and that are not there",
    says: [
        "is gone since the manifest was made",
        "are gone since the manifest was made",
    ],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("missing_file.md"),
    judge: Judge::File(judge),
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
