//! Tables of published versions: which are known to die, and which add-ons go with which TensorFlow.
//!
//! Responsible for reading `data/known_versions.toml` and `data/tensorflow_addons.toml`. Whether a death is of such a
//! kind is for the rules.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::LazyLock;

use pep440_rs::{Version, VersionSpecifiers};
use serde::{Deserialize, Deserializer};

use crate::capture::Signal;
use crate::cause::Cause;
use crate::embedded;
use crate::remedy::Again;

/// A version that is known to die.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bad {
    pub(crate) id: String,
    pub(crate) package: String,
    #[serde(deserialize_with = "specifiers")]
    pub(crate) versions: VersionSpecifiers,
    #[serde(default)]
    pub(crate) frames: Vec<String>,
    #[serde(default)]
    pub(crate) under: Vec<String>,
    #[serde(default)]
    pub(crate) libraries: Vec<String>,
    #[serde(default)]
    pub(crate) signs: Vec<String>,
    pub(crate) with: Option<String>,
    pub(crate) heap_messages: Option<usize>,
    #[serde(default)]
    pub(crate) signals: Vec<Signal>,
    #[serde(default)]
    pub(crate) alone: bool,
    #[serde(default)]
    pub(crate) tells: bool,
    pub(crate) cause: Option<Cause>,
    pub(crate) what: String,
    pub(crate) fixed: Option<String>,
    #[serde(default)]
    pub(crate) test: BTreeMap<String, String>,
    pub(crate) advice: Option<String>,
    pub(crate) source: String,
    pub(crate) plain: Option<Plain>,
}

/// When a version is worth a warning before anything has died: an ordinary program is enough.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plain {
    /// What to install instead; `{name}` is the name that it is installed under.
    pub(crate) install: String,
    /// Only on a processor without this.
    pub(crate) lacks: Option<String>,
    /// Only on this architecture.
    pub(crate) architecture: Option<String>,
    /// Only where one of these is installed too.
    #[serde(default)]
    pub(crate) beside: Vec<String>,
    /// What would show that it does no harm.
    pub(crate) unless: String,
}

/// A package with native code for TensorFlow.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Addon {
    pub(crate) package: String,
    pub(crate) module: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    pub(crate) source: String,
    pub(crate) lines: Vec<Line>,
}

/// What one line of an add-on was built for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    #[serde(deserialize_with = "specifiers")]
    pub(crate) versions: VersionSpecifiers,
    #[serde(deserialize_with = "specifiers")]
    pub(crate) tensorflow: VersionSpecifiers,
}

impl Bad {
    /// The run that shows whether it is this, where there is one.
    pub(crate) fn test(&self) -> Option<Again> {
        let mut variables = self.test.iter().peekable();
        variables.peek()?;
        variables.try_fold(Again::new(), |run, (name, value)| {
            run.set_foreign(name, value)
        })
    }
}

impl Addon {
    /// What `version` of it was built for, where the table knows.
    pub(crate) fn built_for(&self, version: &Version) -> Option<&VersionSpecifiers> {
        let line = self
            .lines
            .iter()
            .find(|line| line.versions.contains(version))?;
        Some(&line.tensorflow)
    }

    /// The line of it that goes with `tensorflow`.
    pub(crate) fn line_for(&self, tensorflow: &Version) -> Option<&VersionSpecifiers> {
        let mut lines = self.lines.iter();
        let line = lines.find(|line| line.tensorflow.contains(&without_suffix(tensorflow)))?;
        Some(&line.versions)
    }
}

/// `2.2.0` of `2.2.0.dev20200310`: a nightly is of the line that it leads to.
pub(crate) fn without_suffix(version: &Version) -> Version {
    Version::new(version.release().iter().copied())
}

/// Reads a version specifier of a table.
pub(crate) fn specifiers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<VersionSpecifiers, D::Error> {
    let text = String::deserialize(deserializer)?;
    VersionSpecifiers::from_str(&text).map_err(serde::de::Error::custom)
}

/// All versions that are known to die.
pub(crate) fn bad() -> &'static [Bad] {
    #[derive(Deserialize)]
    struct File {
        bad: Vec<Bad>,
    }
    static TABLE: LazyLock<Vec<Bad>> =
        LazyLock::new(|| embedded::table::<File>(include_str!("../data/known_versions.toml")).bad);
    &TABLE
}

/// All packages with native code for TensorFlow.
pub(crate) fn addons() -> &'static [Addon] {
    #[derive(Deserialize)]
    struct File {
        addon: Vec<Addon>,
    }
    static TABLE: LazyLock<Vec<Addon>> = LazyLock::new(|| {
        embedded::table::<File>(include_str!("../data/tensorflow_addons.toml")).addon
    });
    &TABLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_a_symptom_and_a_source() {
        for bad in bad() {
            assert!(!bad.source.is_empty(), "{}", bad.id);
            let has_symptom = !bad.frames.is_empty()
                || !bad.libraries.is_empty()
                || !bad.signs.is_empty()
                || (bad.alone && !bad.signals.is_empty());
            assert!(has_symptom, "{}: a version alone is no evidence", bad.id);
            for sign in bad.signs.iter().chain(&bad.with) {
                assert!(
                    crate::signs::exists(sign),
                    "{}: no sign is called {sign}",
                    bad.id
                );
            }
        }
        for addon in addons() {
            assert!(
                !addon.source.is_empty() && !addon.module.is_empty(),
                "{}",
                addon.package
            );
        }
    }

    #[test]
    fn a_nightly_belongs_to_the_line_that_it_leads_to() {
        let addons = addons()
            .iter()
            .find(|addon| addon.package == "tensorflow-addons")
            .unwrap();
        let old = Version::from_str("0.8.3").unwrap();
        let nightly = Version::from_str("2.2.0.dev20200310").unwrap();
        let built_for = addons.built_for(&old).unwrap();
        assert!(!built_for.contains(&without_suffix(&nightly)));
        assert_eq!(
            addons.line_for(&nightly).unwrap().to_string(),
            ">=0.10, <0.11"
        );
    }
}
