//! What was seen, kept in a file, and the page that is made of it.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::build::Place;
use super::description::{Environment, FOLDER};
use super::observe::{Finding, Outcome};
use super::record;
use crate::workspace;

pub const PAGE: &str = "docs/environments.md";
/// Beside the descriptions; written by this command alone.
const KEPT: &str = "seen.json";
/// Findings of one environment that are told; the rest is counted.
const TOLD: usize = 4;

const HEAD: &str = "\
# Environments, put to the test

Each row is an environment of real packages, made as a file in [`environments/`](../environments) describes it. *Really*
is what a program did in it; *check says* is what `crashlens check` said of the same environment without running anything.
`cargo lab environments --update` makes the environments, runs the programs and the checks, and writes this page.

An exception is no crash: `exit 1` is Python ending with a traceback. A hazard beside `exit 0` is one that the program did
not meet; its row says why it is told all the same.
";

/// The chapters, and what they are called on the page.
const CHAPTERS: [(&str, &str); 8] = [
    ("linking", "What the loader refuses"),
    ("numpy", "NumPy's C interface"),
    ("runtimes", "Two of a kind in one process"),
    ("packages", "Packages that do not fit or are not whole"),
    ("processor", "The processor"),
    ("gpu", "Libraries of the GPU"),
    ("limits", "Limits"),
    ("healthy", "Healthy environments: nothing may be found"),
];

/// What was seen of one environment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Seen {
    pub outcome: Outcome,
    pub findings: Vec<Finding>,
}

pub fn read() -> Result<BTreeMap<String, Seen>> {
    let path = workspace::root().join(FOLDER).join(KEPT);
    if !path.is_file() {
        return Ok(BTreeMap::new());
    }
    serde_json::from_str(&fs_err::read_to_string(&path)?)
        .with_context(|| format!("cannot understand {}", path.display()))
}

/// With the places of this machine replaced.
pub fn anonymous(seen: &Seen, place: &Place) -> Result<Seen> {
    let text = serde_json::to_string(seen)?;
    Ok(serde_json::from_str(&record::anonymous(text, place))?)
}

pub fn write(seen: &BTreeMap<String, Seen>) -> Result<()> {
    let environments = Environment::all()?;
    let mut seen = seen.clone();
    seen.retain(|name, _| environments.iter().any(|one| one.name == *name));
    let text = serde_json::to_string_pretty(&seen)? + "\n";
    fs_err::write(workspace::root().join(FOLDER).join(KEPT), text)?;
    fs_err::write(workspace::root().join(PAGE), page(&environments, &seen))?;
    Ok(())
}

pub fn page(environments: &[Environment], seen: &BTreeMap<String, Seen>) -> String {
    let mut lines = vec![HEAD.to_owned()];
    for (chapter, title) in CHAPTERS {
        lines.push(format!("## {title}\n"));
        lines.push("| environment | really | check says |".to_owned());
        lines.push("|---|---|---|".to_owned());
        let rows = environments.iter().filter(|one| one.chapter == chapter);
        lines.extend(rows.filter_map(|one| seen.get(&one.name).map(|seen| row(one, seen))));
        lines.push(String::new());
    }
    lines.join("\n")
}

fn row(environment: &Environment, seen: &Seen) -> String {
    let Seen { outcome, findings } = seen;
    let mut really = format!("**{}**", outcome.ended);
    if outcome.ended != "exit 0" && !outcome.said.is_empty() {
        really = format!("{really}: {}", cell(&outcome.said));
    }
    let mut says: Vec<_> = findings.iter().take(TOLD).map(told).collect();
    if findings.len() > TOLD {
        says.push(format!("and {} more", findings.len() - TOLD));
    }
    if says.is_empty() {
        says.push("nothing".to_owned());
    }
    if !environment.note.is_empty() {
        says.push(format!("*{}*", cell(&environment.note)));
    }
    format!(
        "| **{}**: {} | {really} | {} |",
        environment.name,
        cell(&environment.about),
        says.join("<br>")
    )
}

fn told(finding: &Finding) -> String {
    let text = format!(
        "{} **{}**: {}",
        finding.severity.replace('-', " "),
        finding.rule,
        cell(&finding.headline)
    );
    match finding.commands.first() {
        Some(command) => format!(
            "{text} → `{}`",
            command.replace('\n', "; ").replace('|', "\\|")
        ),
        None => text,
    }
}

/// As text of a table's cell.
fn cell(text: &str) -> String {
    let text = text.trim().replace('\n', " ").replace('|', "\\|");
    text.replace('<', "&lt;").replace('*', "\\*")
}
