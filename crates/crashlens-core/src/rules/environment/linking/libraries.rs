//! Libraries that packages need from the system, as `data/libraries.toml` knows them.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::embedded;
use crate::facts::packages::normal;
use crate::survey::{NativeFile, Survey};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    optional: Vec<String>,
    base: Vec<String>,
    provider: Vec<Provider>,
    opened: Vec<Opened>,
    instead: Vec<Instead>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Provider {
    library: String,
    debian: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Opened {
    package: String,
    file: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    source: String,
}

/// A package that does the same without a library.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instead {
    package: String,
    pub(super) with: String,
    libraries: Vec<String>,
}

fn table() -> &'static Table {
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| embedded::table(include_str!("../../../../data/libraries.toml")));
    &TABLE
}

/// Whether only some machines have it.
pub(super) fn is_optional(library: &str) -> bool {
    let mut beginnings = table().optional.iter();
    beginnings.any(|beginning| library.starts_with(beginning.as_str()))
}

/// Whether every machine that runs compiled code has it.
pub(super) fn is_base(library: &str) -> bool {
    table().base.iter().any(|it| it == library)
}

/// The package of Debian and Ubuntu that has it.
pub(super) fn provider(library: &str) -> Option<&'static str> {
    let mut providers = table().provider.iter();
    let provider = providers.find(|provider| provider.library == library)?;
    Some(&provider.debian)
}

/// Files that something surely opens, or that an `import` opens although they are no modules.
pub(super) fn opened(survey: &Survey) -> Vec<&NativeFile> {
    let by_import = |file: &&NativeFile| !file.is_opened() && is_opened_by_import(file);
    let others = survey.native.iter().filter(by_import);
    survey.opened().chain(others).collect()
}

/// Whether an `import` opens it although it is no module.
pub(super) fn is_opened_by_import(file: &NativeFile) -> bool {
    let Some(package) = &file.package else {
        return false;
    };
    let name = normal(&package.name);
    let mut opened = table().opened.iter();
    opened.any(|it| it.package == name && it.file == file.name())
}

/// The package to install instead of one that needs a library.
pub(super) fn instead(package: &str, library: &str) -> Option<&'static Instead> {
    let name = normal(package);
    let mut all = table().instead.iter();
    all.find(|it| it.package == name && it.libraries.iter().any(|has| has == library))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_says_where_it_is_from() {
        assert!(table().opened.iter().all(|it| !it.source.is_empty()));
        assert!(table().provider.iter().all(|it| !is_optional(&it.library)));
    }

    #[test]
    fn libraries_of_gpus_and_clusters_are_optional_and_those_of_screens_are_not() {
        assert!(is_optional("libcuda.so.1") && is_optional("libnvinfer.so.8"));
        assert!(is_optional("libmpi.so.40"));
        assert!(!is_optional("libGL.so.1") && !is_optional("libtensorflow_cc.so.2"));
    }
}
