//! Files that took longer to read than allowed.

use crate::book::{Judge, Rule, Scope};
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL018",
    name: "time-limit",
    summary: "Reading a file took longer than the time allowed for one file.",
    causes: &[],
    since: "0.1.0",
    doc: include_str!("time_limit.md"),
    judge: Judge::File {
        looks_at: Scope::All,
        says: ["took too long to read", "took too long to read"],
        judge,
    },
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
