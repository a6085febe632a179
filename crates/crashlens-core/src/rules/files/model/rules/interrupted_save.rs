//! What a save that was interrupted leaves behind.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL001",
    name: "interrupted-save",
    summary: "An interrupted save left temporary files, or data and index that do not match.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("interrupted_save.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::Leftover),
        says: [
            "has the leftovers of an interrupted save",
            "have the leftovers of interrupted saves",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::Leftover, |_| {
        vec![
            Remedy::new(
                "Check that no save is running now; then go on from an older checkpoint, or save again.",
            ),
            Remedy::new(
                "Save under a new name each time and remove old ones afterwards: a killed save then costs nothing.",
            ),
        ]
    })
}
