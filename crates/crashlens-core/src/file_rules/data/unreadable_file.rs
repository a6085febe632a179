//! Files that cannot be opened or read.

use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL017",
    name: "unreadable-file",
    asks: "files that cannot be opened or read",
    says: ["cannot be read", "cannot be read"],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("unreadable_file.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::Unreadable)
        .map(|flaw| {
            FileFinding::new(Severity::WillFail, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(
                    EffectKind::Raises,
                    &["2.15.1", "2.21.0"],
                    "NotFoundError, PermissionDeniedError or FailedPreconditionError when it is opened",
                )
                .remedy(Remedy::new("Look at its owner, its permissions and whether the disk or the mount is still there."))
        })
        .collect()
}
