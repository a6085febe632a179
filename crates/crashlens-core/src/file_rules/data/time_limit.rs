//! Files that took longer to read than allowed.

use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL018",
    name: "time-limit",
    asks: "files that took longer to read than allowed",
    says: ["took too long to read", "took too long to read"],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("time_limit.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::TimedOut)
        .map(|flaw| {
            FileFinding::new(Severity::CanCrash, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(
                    EffectKind::NotTried,
                    &[],
                    "",
                )
                .remedy(Remedy::new("Try it alone with a longer limit (`--timeout`); if it is small, suspect the disk, or the file."))
        })
        .collect()
}
