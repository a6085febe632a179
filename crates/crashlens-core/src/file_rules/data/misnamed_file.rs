//! Files whose content is not what their name says.

use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL011",
    name: "misnamed-file",
    asks: "files whose content is not what their name says",
    says: ["is not what its name says", "are not what their names say"],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("misnamed_file.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::Misnamed)
        .map(|flaw| {
            FileFinding::new(Severity::WorthKnowing, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(
                    EffectKind::Odd,
                    &[],
                    "image readers of TensorFlow go by the content; programs that choose a reader by the name fail",
                )
                .remedy(Remedy::new("Rename it after its content; readers that go by the name fail on it."))
        })
        .collect()
}
