//! Advisories in the OSV format (<https://ossf.github.io/osv-schema/>).
//!
//! Which op an advisory is about and how it ends a process is told only in its text: ops are found by their names,
//! the ways to die by keywords. Both may be missed; what is found is held against the death before it counts.
//!
//! Not the `osv` crate: it does not bound what it reads, and the file is the user's.

mod text;

use pep440_rs::Version;
use serde::Deserialize;
use thiserror::Error;

use super::{Affected, Issue, normal};

/// More bytes are refused.
const MOST_BYTES: usize = 256 << 20;
/// Advisories beyond this are not looked at.
const MOST_ADVISORIES: usize = 200_000;
/// Ranges, events and versions of one advisory beyond this are not looked at.
const MOST_PARTS: usize = 4096;

/// Why advisories could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OsvError {
    /// The file is too large.
    #[error("it is larger than {} MB", MOST_BYTES >> 20)]
    TooLarge,
    /// It is no JSON, or not of this form.
    #[error("it is not in the OSV format: {0}")]
    Form(#[from] serde_json::Error),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum File {
    List(Vec<Advisory>),
    Answer { vulns: Vec<Advisory> },
    One(Box<Advisory>),
}

#[derive(Debug, Deserialize)]
struct Advisory {
    id: String,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    details: Option<String>,
    #[serde(default)]
    withdrawn: Option<String>,
    #[serde(default)]
    affected: Vec<Part>,
}

/// A package that is affected.
#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default)]
    package: Option<Package>,
    #[serde(default)]
    ranges: Vec<Range>,
    #[serde(default)]
    versions: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    #[serde(default)]
    ecosystem: String,
}

#[derive(Debug, Deserialize)]
struct Range {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    events: Vec<Event>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Event {
    introduced: Option<String>,
    fixed: Option<String>,
    last_affected: Option<String>,
}

/// Reads one advisory, an array of them, or the answer of a query.
pub(super) fn read(json: &[u8]) -> Result<Vec<Issue>, OsvError> {
    if json.len() > MOST_BYTES {
        return Err(OsvError::TooLarge);
    }
    let advisories = match serde_json::from_slice(json)? {
        File::List(list) | File::Answer { vulns: list } => list,
        File::One(one) => vec![*one],
    };
    let valid = advisories
        .into_iter()
        .take(MOST_ADVISORIES)
        .filter(|it| it.withdrawn.is_none());
    Ok(valid.flat_map(issues).collect())
}

/// The defect in each package of Python's index that the advisory names.
fn issues(advisory: Advisory) -> Vec<Issue> {
    let summary = advisory.summary.unwrap_or_default();
    let details = advisory.details.unwrap_or_default();
    let said = text::read(&summary, &details);
    let cve = advisory
        .aliases
        .into_iter()
        .find(|alias| alias.starts_with("CVE-"));
    let parts = advisory.affected.into_iter().take(MOST_PARTS);
    parts
        .filter_map(|part| {
            let package = part.package.as_ref()?;
            // Ecosystems may have a suffix: `PyPI:…`.
            let is_python = package.ecosystem.split(':').next() == Some("PyPI");
            is_python.then(|| Issue {
                id: advisory.id.clone(),
                cve: cve.clone(),
                package: normal(&package.name),
                ops: said.ops.clone(),
                functions: said.functions.clone(),
                causes: said.causes.clone(),
                affected: affected(&part),
                observed: None,
            })
        })
        .collect()
}

fn affected(part: &Part) -> Affected {
    let mut affected = Affected::default();
    // Ranges of commits say nothing about versions.
    let ranges = part
        .ranges
        .iter()
        .filter(|range| range.kind != "GIT")
        .take(MOST_PARTS);
    for range in ranges {
        let mut from: Option<Option<Version>> = None;
        for event in range.events.iter().take(MOST_PARTS) {
            if let Some(introduced) = &event.introduced {
                from = Some(introduced.parse().ok().filter(|_| introduced != "0"));
            }
            let parsed = |text: &Option<String>| text.as_deref().and_then(|it| it.parse().ok());
            let (fixed, last): (Option<Version>, Option<Version>) =
                (parsed(&event.fixed), parsed(&event.last_affected));
            if fixed.is_some() || last.is_some() {
                affected.add(from.take().flatten(), fixed, last);
            }
        }
        // Begun and never ended.
        if let Some(from) = from {
            affected.add(from, None, None);
        }
    }
    for version in part
        .versions
        .iter()
        .take(MOST_PARTS)
        .filter_map(|it| it.parse().ok())
    {
        affected.add_version(version);
    }
    affected
}
