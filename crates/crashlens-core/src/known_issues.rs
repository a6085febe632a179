//! Defects of published versions: the built-in table, and advisories that a person gives.
//!
//! Responsible for what they say and for finding those that fit a death. A defect that fits is evidence and a version
//! to install; it is never a diagnosis by itself, because an op has many ways to die.

mod affected;
mod attach;
mod built_in;
mod osv;

use std::sync::LazyLock;

use crate::cause::Cause;

pub use affected::Affected;
pub use osv::OsvError;

/// All defects that are known.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct KnownIssues {
    issues: Vec<Issue>,
}

/// A defect of published versions of a package.
#[derive(Debug, Clone)]
pub(crate) struct Issue {
    /// `PYSEC-2021-564`.
    id: String,
    /// `CVE-2021-37651`.
    cve: Option<String>,
    /// The package, in the form in which Python's package index compares names.
    package: String,
    /// TensorFlow ops that have it.
    ops: Vec<String>,
    /// Native functions that have it.
    functions: Vec<String>,
    /// How a process dies of it.
    causes: Vec<Cause>,
    /// The versions that have it.
    affected: Affected,
    /// What was seen, where there is no advisory.
    observed: Option<String>,
}

impl Issue {
    /// The name by which people find it.
    fn name(&self) -> &str {
        self.cve.as_deref().unwrap_or(&self.id)
    }
}

impl KnownIssues {
    /// The built-in table.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<KnownIssues> = LazyLock::new(|| KnownIssues {
            issues: built_in::read(),
        });
        &BUILT_IN
    }

    /// The built-in table and the advisories in `json`, which is in the OSV format: one advisory, an array of them, or
    /// an object with `vulns`.
    pub fn with_osv(&self, json: &[u8]) -> Result<Self, OsvError> {
        let given = osv::read(json)?;
        let is_known = |issue: &&Issue| !given.iter().any(|it| it.name() == issue.name());
        let mut issues: Vec<Issue> = self.issues.iter().filter(is_known).cloned().collect();
        issues.extend(given);
        Ok(Self { issues })
    }

    /// The defects by which a process dies in `version` of a package and which a later release of the same line
    /// (`2.8.4` for `2.8.0`) does not have, with that release.
    pub(crate) fn mended_in_line(
        &self,
        package: &str,
        version: &pep440_rs::Version,
    ) -> Vec<(&str, &pep440_rs::Version)> {
        let line = |version: &pep440_rs::Version| version.release().get(..2).map(<[u64]>::to_vec);
        let own = line(version);
        self.issues
            .iter()
            .filter(|issue| issue.package == package && !issue.causes.is_empty())
            .filter(|issue| issue.affected.includes(version))
            .filter_map(|issue| Some((issue.name(), issue.affected.fix(version)?)))
            .filter(|(_, fix)| own.is_some() && line(fix) == own)
            .collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.issues.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.issues.is_empty()
    }
}

/// The form in which Python's package index compares names.
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

#[cfg(test)]
#[path = "known_issues/tests.rs"]
mod tests;
