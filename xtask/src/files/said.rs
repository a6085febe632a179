//! What `crashlens check data` and `check model` say of files.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use crashlens_core::hazard::Severity;
use serde::Deserialize;

/// What was said of a file.
#[derive(Debug, Clone, Default)]
pub struct Said {
    /// Names of rules, the worst first.
    pub rules: Vec<String>,
    /// That of the worst finding.
    pub severity: Option<Severity>,
}

impl Said {
    /// Whether it makes the exit status 1 by default.
    pub fn is_flagged(&self) -> bool {
        self.severity >= Some(Severity::CanCrash)
    }
}

#[derive(Deserialize)]
struct Line {
    path: PathBuf,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    name: String,
    severity: Severity,
}

/// What is said of each path, `kind` being `data` or `model`.
pub fn ask(
    crashlens: &Path,
    kind: &str,
    full: bool,
    paths: &[&Path],
) -> Result<BTreeMap<PathBuf, Said>> {
    let mut list = tempfile::NamedTempFile::new()?;
    for path in paths {
        writeln!(list, "{}", path.display())?;
    }
    let output = Command::new(crashlens)
        .args(["check", kind, "--format", "jsonl", "--fail-on", "never"])
        .args(full.then_some("--full"))
        .arg("--files-from")
        .arg(list.path())
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", crashlens.display()))?;
    let mut said = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        // The last line may be the report on all files.
        let Ok(line) = serde_json::from_str::<Line>(line) else {
            continue;
        };
        said.insert(line.path, summary(line.findings));
    }
    Ok(said)
}

fn summary(mut findings: Vec<Finding>) -> Said {
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let mut rules = Vec::new();
    let severity = findings.first().map(|finding| finding.severity);
    for finding in findings {
        if !rules.contains(&finding.name) {
            rules.push(finding.name);
        }
    }
    Said { rules, severity }
}
