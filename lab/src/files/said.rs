//! What `crashlens check data` and `check model` say of files.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use crashlens_core::files::Effect;
use crashlens_core::hazard::Severity;
use serde::Deserialize;

/// What was said of a file.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Said {
    path: PathBuf,
    /// The worst first.
    findings: Vec<Finding>,
}

#[derive(Debug, Clone, Deserialize)]
struct Finding {
    name: String,
    severity: Severity,
    #[serde(default)]
    part: String,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    effects: Vec<Effect>,
}

/// What was said of files when all were read.
#[derive(Debug, Deserialize)]
struct Late {
    rule: String,
    files: Vec<PathBuf>,
    #[serde(flatten)]
    finding: Finding,
}

impl Finding {
    /// How bad it is for a version: by what it says of that one, where it says something of it.
    fn severity_for(&self, version: &str) -> Severity {
        let named = |effect: &&Effect| effect.versions.iter().any(|named| named == version);
        let effects = self.effects.iter().filter(named);
        let worst = effects.map(|effect| effect.does.severity()).max();
        worst.unwrap_or(self.severity)
    }
}

impl Said {
    /// Whether it warns of a version: the exit status is 1 then.
    pub fn warns_of(&self, version: &str) -> bool {
        let warns = |finding: &Finding| finding.severity_for(version) >= Severity::CanCrash;
        self.findings.iter().any(warns)
    }

    /// Names of the rules.
    pub fn rules(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for finding in &self.findings {
            if !names.contains(&finding.name.as_str()) {
                names.push(&finding.name);
            }
        }
        if names.is_empty() {
            names.push("nothing");
        }
        names.join(", ")
    }

    /// What the worst finding says was seen.
    pub fn detail(&self) -> String {
        let worst = self.findings.first();
        worst.map_or_else(String::new, |worst| {
            format!("{}: {}", worst.part, worst.detail)
        })
    }
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
    let mut said: BTreeMap<PathBuf, Said> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Ok(one) = serde_json::from_str::<Said>(line) {
            let known = said.entry(one.path).or_default();
            known.findings.extend(one.findings);
        } else if let Ok(late) = serde_json::from_str::<Late>(line)
            && late.rule.starts_with("FIL")
        {
            // What is known only when all were read, such as that two are the same, comes in lines of its own. What is
            // wrong with the set as a whole is nothing that is said of a file.
            for file in late.files {
                let known = said.entry(file).or_default();
                known.findings.push(late.finding.clone());
            }
        }
    }
    for one in said.values_mut() {
        one.findings
            .sort_by_key(|finding| Reverse(finding.severity));
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_about_one_version_is_none_about_another() {
        let said: Said = serde_json::from_str(
            r#"{ "path": "a.webp", "findings": [{ "name": "unsupported", "severity": "will-fail", "effects": [
                { "does": "raises", "versions": ["2.12.1"], "seen": "" },
                { "does": "odd", "versions": ["2.21.0"], "seen": "" }] }] }"#,
        )
        .unwrap();
        assert!(said.warns_of("2.12.1"));
        assert!(!said.warns_of("2.21.0"));
        assert!(said.warns_of("2.15.1"), "nothing is said of it alone");
    }
}
