//! Copies of the standard library's modules that packages carry for programs with a Python of their own.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{NativeFile, Survey};
use crate::embedded;

/// Modules of that kind that make a folder a copy of the standard library. A package may have one of its own that is
/// called like one of them (`pysqlite3/_sqlite3`, `zodbpickle/_pickle`); panda3d 1.10.16 has 78 in one folder.
const FEWEST: usize = 8;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    source: String,
    modules: Vec<String>,
}

fn table() -> &'static Table {
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| embedded::table(include_str!("../../data/standard_modules.toml")));
    &TABLE
}

impl Survey {
    /// Whether a module lies in a copy of the standard library that a package carries. The interpreter has its own, and
    /// nobody imports this one in place, unless its folder is one that Python searches.
    pub(crate) fn is_spare(&self, file: &NativeFile) -> bool {
        if file.package.is_none() || !is_standard(file) || self.is_site(folder(file)) {
            return false;
        }
        let is_beside =
            |it: &&NativeFile| is_standard(it) && folder(it) == folder(file) && it.is_module();
        self.native
            .iter()
            .filter(is_beside)
            .nth(FEWEST - 1)
            .is_some()
    }

    fn is_site(&self, folder: &str) -> bool {
        let sites = self.python.known().map_or(&[][..], |python| &python.sites);
        sites.iter().any(|it| it.trim_end_matches('/') == folder)
    }
}

fn folder(file: &NativeFile) -> &str {
    file.path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_standard(file: &NativeFile) -> bool {
    let stem = file.name().split('.').next().unwrap_or_default();
    table().modules.iter().any(|it| it == stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Observed, Package};
    use crate::survey::{Extension, Interpreter};

    fn module(path: &str) -> NativeFile {
        NativeFile {
            path: path.to_owned(),
            package: Some(Package {
                name: "game".to_owned(),
                version: "1".to_owned(),
            }),
            extension: Some(Extension {
                tag: String::new(),
                is_importable: true,
            }),
            ..NativeFile::default()
        }
    }

    fn with(folder: &str, names: &[&str]) -> Survey {
        let python = Interpreter {
            sites: vec!["/site".to_owned()],
            ..Interpreter::default()
        };
        Survey {
            python: Observed::Known(python),
            native: names
                .iter()
                .map(|name| module(&format!("{folder}/{name}.so")))
                .collect(),
            ..Survey::default()
        }
    }

    const COPY: [&str; 9] = [
        "_ssl", "math", "select", "_socket", "_bz2", "zlib", "_json", "_struct", "_own",
    ];

    #[test]
    fn a_copy_of_the_standard_library_is_imported_by_nobody() {
        let survey = with("/site/deploy_libs", &COPY);
        let opened: Vec<_> = survey.opened().map(NativeFile::name).collect();
        assert_eq!(opened, ["_own.so"]);
    }

    #[test]
    fn a_module_of_a_package_that_is_called_like_a_standard_one_is_imported() {
        let survey = with("/site/pysqlite3", &["_sqlite3", "_other"]);
        assert_eq!(survey.opened().count(), 2);
    }

    #[test]
    fn in_a_folder_that_python_searches_they_come_before_its_own() {
        assert_eq!(with("/site", &COPY).opened().count(), COPY.len());
    }

    #[test]
    fn the_table_says_where_it_is_from() {
        assert!(!table().source.is_empty() && table().modules.len() > 80);
    }
}
