//! Valid files that TensorFlow has no reader for.

use crate::cause::Cause;
use crate::files::{
    EffectKind, FileFacts, FileFinding, FileRule, FlawKind, Judge, Setting, flawed,
};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "FIL008",
    name: "unsupported-variant",
    asks: "valid files that TensorFlow has no reader for",
    says: [
        "is of a kind that TensorFlow does not read, or not in every version",
        "are of a kind that TensorFlow does not read, or not in every version",
    ],
    cause: Cause::CorruptDataFile,
    since: "0.1.0",
    doc: include_str!("unsupported_variant.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let findings = flawed(facts, FlawKind::Unsupported, |_| {
        vec![Remedy::new(
            "Convert it to a format that TensorFlow reads; for an image PNG keeps every pixel as it is.",
        )]
    });
    findings
        .into_iter()
        .map(|finding| by_version(finding, setting))
        .collect()
}

/// What some versions read is no fault of the file; which version is to read it, an environment tells.
fn by_version(mut finding: FileFinding, setting: &Setting) -> FileFinding {
    let mut readers = finding.effects.iter();
    let Some(reads) = readers.find(|effect| effect.does == EffectKind::Odd) else {
        return finding;
    };
    let environment = setting.environment.as_ref();
    let installed = environment.and_then(|survey| survey.tensorflow()?.parsed_version());
    let oldest = reads.versions.iter().filter_map(|it| it.parse().ok()).min();
    let is_older = installed
        .zip(oldest)
        .is_some_and(|(it, oldest)| it < oldest);
    if !is_older {
        finding.severity = Severity::WorthKnowing;
    }
    finding
}
