//! Files that changed while they were read.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL014",
    name: "changed-while-read",
    summary: "A file changed while it was being read.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("changed_while_read.md"),
    judge: Judge::File {
        looks_at: Scope::All,
        says: ["changed while it was read", "changed while they were read"],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::Changed)
        .map(|flaw| {
            FileFinding::new(Severity::CanCrash, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(
                    EffectKind::Crashes,
                    &[],
                    "a file that shrinks under `np.load(mmap_mode='r')` or safetensors kills the process by SIGBUS; h5py reads zeros without a word",
                )
                .remedy(Remedy::new("Find out who writes it, and train on a copy; write to another name and rename when the file is whole."))
        })
        .collect()
}
