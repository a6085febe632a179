//! The built-in table: facts about the world, in `data/advisories.toml`.

use pep440_rs::Version;
use serde::Deserialize;

use super::{Affected, Issue};
use crate::cause::Cause;
use crate::embedded;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    advisories: Vec<Entry>,
    observed: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    cve: Option<String>,
    ops: Vec<String>,
    causes: Vec<Cause>,
    fixed: Vec<Version>,
    observed: Option<String>,
}

pub(super) fn read() -> Vec<Issue> {
    let file: File = embedded::table(include_str!("../../data/advisories.toml"));
    let entries = file.advisories.into_iter().chain(file.observed);
    entries.map(issue).collect()
}

fn issue(entry: Entry) -> Issue {
    Issue {
        id: entry.id,
        cve: entry.cve,
        package: "tensorflow".to_owned(),
        ops: entry.ops,
        functions: Vec::new(),
        causes: entry.causes,
        affected: Affected::by_lines(entry.fixed),
        observed: entry.observed,
    }
}
