//! What packages built for NumPy 1 do under NumPy 2, as `data/numpy_outcomes.toml` has it.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::embedded;
use crate::facts::packages::normal;
use crate::hazard::Severity;
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::shell;
use crate::survey::{NativeFile, Survey};

/// How a package takes NumPy 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// With an exception at import.
    Raises,
    /// It is imported, and its first use kills the process.
    Dies,
    /// It is imported, and its first use ends with an exception.
    Fails,
    /// It is imported and much of it works, but not what exchanges arrays.
    Part,
    /// Well.
    Works,
}

/// A package that was tried.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trial {
    name: String,
    pub(super) outcome: Outcome,
    pub(super) words: String,
    pub(super) tried: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    source: String,
    package: Vec<Trial>,
}

fn table() -> &'static Table {
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| embedded::table(include_str!("../../../../data/numpy_outcomes.toml")));
    &TABLE
}

/// What is known of the package of a file.
pub(super) fn of(file: &NativeFile) -> Option<&'static Trial> {
    let name = normal(&file.package.as_ref()?.name);
    table().package.iter().find(|tried| tried.name == name)
}

/// How bad it is, and the end of the sentence that says so.
pub(super) fn verdict(tried: Option<&Trial>) -> (Severity, &'static str) {
    match tried.map(|tried| tried.outcome) {
        Some(Outcome::Raises) => (Severity::WillFail, "it fails at import"),
        Some(Outcome::Dies) => (
            Severity::WillFail,
            "it can be imported and dies at its first use",
        ),
        Some(Outcome::Fails) => (
            Severity::WillFail,
            "it can be imported and fails at its first use",
        ),
        Some(Outcome::Part) => (
            Severity::CanCrash,
            "it can be imported, and what exchanges arrays with NumPy fails",
        ),
        Some(Outcome::Works) | None => (
            Severity::WillFail,
            "what of it uses NumPy's C interface fails or misbehaves",
        ),
    }
}

/// A newer version of the package, or `build` where it is in none; else an older NumPy.
pub(super) fn remedies(survey: &Survey, file: &NativeFile, build: String) -> [Remedy; 2] {
    if survey.is_file_of_the_system(file) {
        let own = "It is a package of the system, made for the system's NumPy: use it with that one, or install it anew in an environment without the packages of the system.";
        return [Remedy::new(own), older()].map(|it| it.risk(Risk::Environment));
    }
    let package = file.package.as_ref();
    let newer = match package.and_then(|package| shell::package(&package.name)) {
        Some(name) => Remedy::new(format!(
            "Install a version of {name} that was built for NumPy 2."
        ))
        .command_if(Pip::upgrade(name)),
        None => Remedy::new(build),
    };
    [newer, older()].map(|remedy| remedy.risk(Risk::Environment))
}

fn older() -> Remedy {
    Remedy::new("Go back to NumPy 1; packages that were built for NumPy 2 alone stop working.")
        .command_if(Pip::install(["numpy<2"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_was_seen_somewhere() {
        assert!(!table().source.is_empty());
        for tried in &table().package {
            assert!(
                !tried.tried.is_empty() && !tried.words.is_empty(),
                "{}",
                tried.name
            );
            assert_eq!(tried.name, normal(&tried.name));
        }
    }
}
