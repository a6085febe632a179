//! Valid files that TensorFlow has no reader for.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{
    EffectKind, FileFacts, FileFinding, Flaw, FlawKind, Format, Part, Setting, flawed,
};
use crate::hazard::Severity;
use crate::rule::Remedy;
use crate::rules::files::data::tables;

pub(super) static RULE: Rule = Rule {
    id: "FIL008",
    name: "unsupported-variant",
    summary: "A valid file uses a format or variant that TensorFlow, or some versions of it, cannot read.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("unsupported_variant.md"),
    judge: Judge::File {
        looks_at: Scope::Flaws(FlawKind::Unsupported),
        says: [
            "is of a kind that TensorFlow does not read, or not in every version",
            "are of a kind that TensorFlow does not read, or not in every version",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let mut findings = flawed(facts, setting, FlawKind::Unsupported, |flaw| {
        let todo = tables::remedy(facts, flaw).or(hdf5(facts, flaw)).unwrap_or(
            "Convert it to a format that TensorFlow reads; for an image PNG keeps every pixel as it is.",
        );
        vec![Remedy::new(todo)]
    });
    // What some versions read is no fault of the file, as long as nobody says which one is to read it.
    if setting.tensorflow().is_none() {
        let is_read =
            |it: &&mut FileFinding| it.effects.iter().any(|it| it.does == EffectKind::Odd);
        for finding in findings.iter_mut().filter(is_read) {
            finding.severity = Severity::WorthKnowing;
        }
    }
    findings
}

/// Plugins bring most filters of HDF5, and not LZO, which only `PyTables` has.
fn hdf5(facts: &FileFacts, flaw: &Flaw) -> Option<&'static str> {
    let is_filter = flaw.part.id == Part::Filter;
    (facts.format == Some(Format::Hdf5)).then_some(if is_filter {
        "`pip install hdf5plugin` and `import hdf5plugin` before the file is opened, or read it with PyTables; or write it \
         anew with gzip."
    } else {
        "Write the values anew as float64 or int64, with the program that made them."
    })
}
