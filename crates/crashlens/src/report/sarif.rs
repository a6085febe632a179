//! What checks found as SARIF 2.1.0, for code scanning.
//!
//! Only the parts of that standard that crashlens has something to say in.

use std::fmt::Write as _;
use std::io::{self, Write};

use crashlens_core::book;
use crashlens_core::hazard::{Hazard, Severity};
use crashlens_core::{Gap, Inspection, Report};
use serde::Serialize;
use serde_json::{Value, json};

use super::terminal::{printable, sentence};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// So many files of one finding are named; more than this is no place to look at.
const MOST_LOCATIONS: usize = 20;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: Vec<Run>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Value,
    invocations: [Value; 1],
    results: Vec<Finding>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Value,
    locations: Vec<Value>,
    partial_fingerprints: Value,
    properties: Value,
}

/// Writes every inspection as a run of its own.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: report.inspections.iter().map(run).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn run(inspection: &Inspection) -> Run {
    let index = |id: &str| inspection.checks.iter().position(|check| check.rule == id);
    let findings = inspection.findings.iter();
    Run {
        tool: json!({ "driver": {
            "name": "crashlens",
            "version": env!("CARGO_PKG_VERSION"),
            "informationUri": env!("CARGO_PKG_REPOSITORY"),
            "rules": inspection.checks.iter().map(|check| rule(&check.rule)).collect::<Vec<_>>(),
        }}),
        invocations: [json!({
            "executionSuccessful": true,
            "toolExecutionNotifications":
                inspection.gaps.iter().map(notification).collect::<Vec<_>>(),
        })],
        results: findings
            .map(|hazard| finding(hazard, index(&hazard.rule), &inspection.subject))
            .collect(),
    }
}

fn rule(id: &str) -> Value {
    let Some(rule) = book::find(id) else {
        return json!({ "id": id });
    };
    let causes: Vec<&str> = rule.causes.iter().map(|cause| cause.word()).collect();
    json!({
        "id": rule.id,
        "name": rule.name,
        "shortDescription": { "text": rule.summary },
        "help": { "text": rule.doc, "markdown": rule.doc },
        "properties": { "tags": causes },
    })
}

fn notification(gap: &Gap) -> Value {
    let text = format!("{}: {}", gap.part, gap.reason);
    json!({ "level": "note", "message": { "text": printable(&text) } })
}

fn finding(hazard: &Hazard, rule_index: Option<usize>, subject: &str) -> Finding {
    let level = match hazard.severity {
        Severity::WillFail => "error",
        Severity::CanCrash => "warning",
        Severity::WorthKnowing => "note",
    };
    let commands = hazard.remedies.iter().filter_map(|it| it.command.as_ref());
    Finding {
        rule_id: hazard.rule.clone(),
        rule_index,
        level,
        message: json!({ "text": message(hazard) }),
        locations: locations(hazard, subject),
        partial_fingerprints: json!({ "crashlensFinding/v1": fingerprint(hazard) }),
        properties: json!({
            "severity": hazard.severity,
            "cause": hazard.cause.word(),
            "packages": hazard.packages,
            "commands": commands.collect::<Vec<_>>(),
        }),
    }
}

/// What is wrong, what that rests on, what would refute it and what to do: a viewer shows nothing else.
fn message(hazard: &Hazard) -> String {
    let mut text = sentence(&hazard.headline);
    for ground in &hazard.grounds {
        let _ = write!(text, " {}", sentence(&ground.claim));
    }
    if !hazard.refuted_by.is_empty() {
        let _ = write!(text, " No hazard if: {}", sentence(&hazard.refuted_by));
    }
    if let Some(remedy) = hazard.remedies.first() {
        let _ = write!(text, " Do first: {}", sentence(&remedy.action));
        if let Some(command) = &remedy.command {
            let _ = write!(text, " {command}");
        }
    }
    printable(&text).into_owned()
}

/// The files; where none takes part, the interpreter, since a result without a place is shown nowhere.
fn locations(hazard: &Hazard, subject: &str) -> Vec<Value> {
    let files = hazard.files.iter().map(String::as_str);
    let mut places: Vec<&str> = files.take(MOST_LOCATIONS).collect();
    if places.is_empty() && !subject.is_empty() {
        places.push(subject);
    }
    places
        .iter()
        .map(|path| json!({ "physicalLocation": { "artifactLocation": { "uri": uri(path) } } }))
        .collect()
}

/// The same for the same finding of another day or machine: no paths above the folder of packages.
fn fingerprint(hazard: &Hazard) -> String {
    let packages: Vec<&str> = hazard.packages.iter().map(|it| it.name.as_str()).collect();
    let file = hazard
        .files
        .first()
        .map_or("", |path| path.rsplit('/').next().unwrap_or(path));
    format!("{}:{}:{file}", hazard.rule, packages.join("+"))
}

/// `file:///home/ada/a%20b.so`
fn uri(path: &str) -> String {
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    let mut uri = scheme.to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
#[path = "sarif/tests.rs"]
mod tests;
