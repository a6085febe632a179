//! Graphs that ask for a newer TensorFlow.

use pep440_rs::Version;

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, Format, Part, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL005",
    name: "graph-version",
    summary: "A graph needs a newer TensorFlow, or excludes the installed one.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("graph_version.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::SavedModel, Format::GraphDef]),
        says: [
            "was made for a newer TensorFlow",
            "were made for a newer TensorFlow",
        ],
        judge,
    },
};

const VERSIONS: &str = include_str!("../../../../../data/graph_versions.toml");

#[derive(serde::Deserialize)]
struct Table {
    version: Vec<Row>,
}

/// The version of graphs that a version of TensorFlow reads and writes.
#[derive(serde::Deserialize)]
struct Row {
    tensorflow: String,
    graph: u32,
}

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let Some(model) = facts.model() else {
        return Vec::new();
    };
    let rows = toml::from_str::<Table>(VERSIONS).map_or_else(|_| Vec::new(), |table| table.version);
    let installed = setting.environment.as_ref();
    let installed = installed.and_then(|survey| survey.tensorflow()?.parsed_version());
    let Some((reader, most)) = reads(&rows, installed.as_ref()) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let remedy = || {
        Remedy::new(
            "Load it with the TensorFlow that wrote it or a newer one, or save it again with yours.",
        )
    };
    if let Some(least) = model.graph_min_consumer.filter(|least| *least > most) {
        let detail =
            format!("it asks for a reader of graph version {least}, and {reader} has {most}");
        findings.push(
            FileFinding::new(Severity::WillFail, detail)
                .part(Part::GraphVersions)
                .effect(
                    EffectKind::Raises,
                    &["2.12.1", "2.15.1", "2.21.0"],
                    "GraphDef min consumer version above current version. Please upgrade TensorFlow",
                )
                .remedy(remedy()),
        );
    }
    if model.graph_bad_consumers.contains(&most) && installed.is_some() {
        let detail = format!("it forbids readers of graph version {most}, which {reader} is");
        findings.push(
            FileFinding::new(Severity::WillFail, detail)
                .part(Part::GraphVersions)
                .remedy(remedy()),
        );
    }
    if let (Some(producer), Some(_)) =
        (model.graph_producer.filter(|made| *made > most), &installed)
    {
        let detail = format!("it was written by graph version {producer}, and {reader} has {most}");
        findings.push(
            FileFinding::new(Severity::WorthKnowing, detail)
                .part(Part::GraphVersions)
                .remedy(remedy()),
        );
    }
    findings
}

/// Who reads it, and graphs up to which version: that of the next newer one known, so that nothing is claimed wrongly.
fn reads(rows: &[Row], installed: Option<&Version>) -> Option<(String, u32)> {
    let newest = rows.last()?;
    let Some(installed) = installed else {
        return Some((
            format!("the newest known here, {},", newest.tensorflow),
            newest.graph,
        ));
    };
    let row = rows.iter().find(|row| {
        let version = row.tensorflow.parse::<Version>();
        version.is_ok_and(|version| version >= *installed)
    })?;
    Some((format!("TensorFlow {installed}"), row.graph))
}
