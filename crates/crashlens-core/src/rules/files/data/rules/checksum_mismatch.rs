//! Stored checksums that are not those of the bytes.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL003",
    name: "checksum-mismatch",
    summary: "A checksum stored in a file does not match its bytes.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("checksum_mismatch.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::ChecksumMismatch),
        says: [
            "has a wrong checksum: bytes of it have changed",
            "have wrong checksums: bytes of them have changed",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::ChecksumMismatch, |_| {
        vec![Remedy::new(
            "Copy or download it again; if the copy is damaged too, test the disk and the memory of the machine.",
        )]
    })
}
