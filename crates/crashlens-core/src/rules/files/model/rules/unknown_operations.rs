//! Operations that TensorFlow does not have.

use pep440_rs::Version;

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, Format, Operation, Part, Setting};
use crate::hazard::Severity;
use crate::operations;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL003",
    name: "unknown-operations",
    summary: "A graph uses operations that TensorFlow does not have.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("unknown_operations.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::SavedModel, Format::GraphDef]),
        says: [
            "has operations that TensorFlow does not have",
            "have operations that TensorFlow does not have",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let is_graph = matches!(facts.format, Some(Format::GraphDef | Format::SavedModel));
    let Some(model) = facts.model().filter(|_| is_graph) else {
        return Vec::new();
    };
    let installed = setting.environment.as_ref();
    let installed = installed.and_then(|survey| survey.tensorflow()?.parsed_version());
    let operations = model.operations.iter();
    operations
        .filter_map(|operation| finding(operation, installed.as_ref()))
        .collect()
}

fn finding(operation: &Operation, installed: Option<&Version>) -> Option<FileFinding> {
    let name = &operation.name;
    let known: Vec<&str> = operations::definition(name)
        .map(|definition| definition.versions().collect())
        .unwrap_or_default();
    let range = operations::known_versions();
    let (oldest, newest) = (range.first()?, range.last()?);
    let (severity, detail) = match (known.first(), installed) {
        (None, _) => (
            Severity::CanCrash,
            format!("no TensorFlow from {oldest} to {newest} has the operation {name:?}"),
        ),
        (Some(first), Some(installed)) if is_lacking(&known, installed) => (
            Severity::WillFail,
            format!(
                "TensorFlow {installed} does not have the operation {name}, which was seen from {first} to {}",
                known.last()?
            ),
        ),
        _ => return None,
    };
    let finding = FileFinding::new(severity, detail)
        .part(Part::Node.number(&operation.first))
        .effect(
            EffectKind::Raises,
            &["2.12.1", "2.15.1", "2.21.0"],
            "Op type not registered, unless a library that has it was loaded before",
        );
    Some(finding.remedy(Remedy::new(
        "Load the library of custom operations before the model (`tf.load_op_library`, or import the package it comes \
         with); where there is none, compare the file with its original.",
    )))
}

/// Whether the versions on both sides of the installed one lack it too: between them ops come and go unseen.
fn is_lacking(known: &[&str], installed: &Version) -> bool {
    let all = operations::known_versions().iter();
    let parsed = all.filter_map(|version| Some((*version, version.parse::<Version>().ok()?)));
    let parsed: Vec<_> = parsed.collect();
    let below = parsed
        .iter()
        .rev()
        .find(|(_, version)| version <= installed);
    let above = parsed.iter().find(|(_, version)| version >= installed);
    let has = |side: Option<&(&str, Version)>| side.is_none_or(|(text, _)| known.contains(text));
    !has(below) && !has(above)
}
