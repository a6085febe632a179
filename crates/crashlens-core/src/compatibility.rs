//! Which published versions go together: what was seen or documented, in `data/compatibility.toml`.
//!
//! Responsible for reading that table. Whether an environment has such a pair is for the rules.

use std::sync::LazyLock;

use pep440_rs::{Version, VersionSpecifiers};
use serde::Deserialize;

use crate::capture::Package;
use crate::embedded;
use crate::facts::packages::{TENSORFLOW, same_name};
use crate::known_versions::{specifiers, without_suffix};

/// Two packages of which certain versions do not go together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    pub(crate) id: String,
    pub(crate) package: String,
    #[serde(deserialize_with = "specifiers")]
    pub(crate) versions: VersionSpecifiers,
    pub(crate) with: String,
    #[serde(deserialize_with = "specifiers")]
    pub(crate) with_versions: VersionSpecifiers,
    pub(crate) outcome: Outcome,
    pub(crate) what: String,
    pub(crate) error: Option<String>,
    pub(crate) install: String,
    /// The module that the first package imports and that these versions of the other do not have. Where something else
    /// brings it there is no conflict; where the other is not installed at all there is.
    pub(crate) module: Option<String>,
    pub(crate) source: String,
}

/// What becomes of a program that uses such a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// The import of the first package fails.
    ImportFails,
    /// It is imported, and a part of it fails.
    PartFails,
}

impl Pair {
    /// Whether its first package is that of a name.
    pub(crate) fn is_about(&self, name: &str) -> bool {
        is_name(&self.package, name)
    }

    /// Whether two versions are such a pair.
    pub(crate) fn applies(&self, version: &Version, with: &Version) -> bool {
        self.versions.contains(&without_suffix(version)) && self.with_versions.contains(with)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    names: Vec<Names>,
    pair: Vec<Pair>,
    import: Vec<Import>,
    module: Vec<Module>,
}

/// A package whose module has another name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Module {
    package: String,
    module: String,
}

/// Names under which the same software is published.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    names: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    source: String,
}

/// Packages without which another cannot be imported.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Import {
    package: String,
    #[serde(deserialize_with = "specifiers")]
    versions: VersionSpecifiers,
    needs: Vec<String>,
    /// Whether it compares versions itself, and refuses one that it does not ask for.
    #[serde(default)]
    compares: bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    source: String,
}

fn table() -> &'static File {
    static TABLE: LazyLock<File> =
        LazyLock::new(|| embedded::table(include_str!("../data/compatibility.toml")));
    &TABLE
}

/// All pairs that do not go together.
pub(crate) fn pairs() -> &'static [Pair] {
    &table().pair
}

/// Whether two packages are a pair that does not go together.
pub(crate) fn is_known_pair(one: &Package, other: &Package) -> bool {
    let versions = one.version.parse().ok().zip(other.version.parse().ok());
    let Some((version, with)) = versions else {
        return false;
    };
    pairs().iter().any(|pair| {
        pair.is_about(&one.name)
            && same_name(&pair.with, &other.name)
            && pair.applies(&version, &with)
    })
}

/// Whether a name is one of TensorFlow's.
pub(crate) fn is_tensorflow(name: &str) -> bool {
    TENSORFLOW.iter().any(|known| same_name(known, name))
}

/// Whether a name of a table, where `tensorflow` stands for all its names, means that of a package.
pub(crate) fn is_name(listed: &str, name: &str) -> bool {
    same_name(listed, name) || (is_tensorflow(listed) && is_tensorflow(name))
}

/// Other names under which the software of a name is published.
pub(crate) fn other_names(name: &str) -> impl Iterator<Item = &'static str> + use<'_> {
    let of_tensorflow = TENSORFLOW.iter().copied().filter(|_| is_tensorflow(name));
    let groups = table().names.iter();
    let group = groups.filter(|it| it.names.iter().any(|known| same_name(known, name)));
    of_tensorflow
        .chain(group.flat_map(|it| it.names.iter().map(String::as_str)))
        .filter(|other| !same_name(other, name))
}

/// Whether a module is that of a package of another name: `sklearn` of `scikit-learn`.
pub(crate) fn is_module_of(module: &str, package: &str) -> bool {
    let mut modules = table().module.iter();
    modules.any(|it| it.module == module && same_name(&it.package, package))
}

/// Whether a version of a package cannot even be imported without another.
pub(crate) fn is_imported_at_once(package: &str, version: &Version, needed: &str) -> bool {
    import(package, version, needed).is_some()
}

/// Whether a version of a package cannot be imported beside a version of another that it does not ask for.
pub(crate) fn is_compared_at_once(package: &str, version: &Version, needed: &str) -> bool {
    import(package, version, needed).is_some_and(|import| import.compares)
}

fn import(package: &str, version: &Version, needed: &str) -> Option<&'static Import> {
    table().import.iter().find(|import| {
        is_name(&import.package, package)
            && import.versions.contains(&without_suffix(version))
            && import.needs.iter().any(|name| same_name(name, needed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::Requirement;

    #[test]
    fn every_entry_has_a_source_and_a_way_out() {
        let table = table();
        for pair in &table.pair {
            assert!(!pair.source.is_empty(), "{}", pair.id);
            let is_plain = |text: &str| Requirement::parse(text).is_some();
            assert!(is_plain(&pair.install), "{}: {}", pair.id, pair.install);
        }
        assert!(
            table
                .names
                .iter()
                .all(|it| !it.source.is_empty() && it.names.len() > 1)
        );
        assert!(table.import.iter().all(|it| !it.source.is_empty()));
    }

    #[test]
    fn a_name_of_tensorflow_stands_for_every_other() {
        assert!(other_names("tensorflow").any(|name| name == "tensorflow-cpu"));
        assert!(other_names("TensorFlow_CPU").any(|name| name == "tensorflow"));
        assert_eq!(other_names("numpy").count(), 0);
    }
}
