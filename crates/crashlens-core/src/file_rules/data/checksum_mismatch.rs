//! Stored checksums that are not those of the bytes.

use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL003",
    name: "checksum-mismatch",
    asks: "stored checksums that are not those of the bytes",
    says: [
        "has a wrong checksum: bytes of it have changed",
        "have wrong checksums: bytes of them have changed",
    ],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("checksum_mismatch.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::ChecksumMismatch, |_| {
        vec![Remedy::new(
            "Copy or download it again; if the copy is damaged too, test the disk and the memory of the machine.",
        )]
    })
}
