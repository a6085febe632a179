//! Files that the manifest does not know.

use crate::book::{Judge, Rule, Scope};
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL023",
    name: "unlisted-file",
    summary: "A file is not listed in the manifest, or is listed without a hash.",
    causes: &[],
    since: "0.1.0",
    doc: include_str!("unlisted_file.md"),
    judge: Judge::File {
        looks_at: Scope::Listed,
        says: ["is not in the manifest", "are not in the manifest"],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::Unlisted)
        .map(|flaw| {
            FileFinding::new(Severity::WorthKnowing, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(EffectKind::Odd, &[], "whether it has changed cannot be told")
                .remedy(Remedy::new("If it belongs to the set, delete the manifest and make a new one; if not, take it out of the folder."))
        })
        .collect()
}
