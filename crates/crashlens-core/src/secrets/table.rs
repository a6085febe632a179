//! How secrets look and what they are called: the facts of `data/secrets.toml`.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use regex::Regex;
use serde::Deserialize;

use crate::embedded;

/// The file, read once.
pub(super) static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::of(include_str!("../../data/secrets.toml")));

/// What may stand right before a secret: nothing, no letter or digit, or the end of an escape (`\n`, `\x1b`, `%3D`).
const BEFORE: &str =
    r"(?:^|[^0-9A-Za-z]|\\[abfnrtv]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2})";

/// What follows a secret of a fixed length.
const AFTER: &str = "(?:[^0-9A-Za-z]|$)";

pub(super) struct Table {
    pub(super) shapes: Vec<Shape>,
    pub(super) names: Names,
    pub(super) commands: Vec<Command>,
    literals: AhoCorasick,
    /// The shape of each literal.
    owners: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    shape: Vec<Shape>,
    names: Names,
    command: Vec<Command>,
}

/// A secret that can be recognised wherever it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shape {
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the file"))]
    pub(super) id: String,
    literals: Vec<String>,
    pattern: String,
    #[serde(default)]
    exact: bool,
    #[serde(default)]
    pub(super) disordered: bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the file"))]
    pub(super) source: String,
    #[serde(skip)]
    compiled: OnceLock<Regex>,
}

impl Shape {
    /// A pattern with the group `secret`. Compiled when its literal is first met, because most are never met.
    pub(super) fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            if self.pattern.contains("(?<secret>") {
                return embedded::regex(&self.pattern);
            }
            let after = if self.exact { AFTER } else { "" };
            embedded::regex(&format!("{BEFORE}(?<secret>{}){after}", self.pattern))
        })
    }
}

/// What secrets are called; the file says what each list is for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    pub(super) strong: Vec<String>,
    pub(super) strong_words: Vec<String>,
    pub(super) telling: Vec<String>,
    pub(super) owned: Vec<String>,
    pub(super) owners: Vec<String>,
    pub(super) weak: Vec<String>,
    pub(super) keys: Vec<String>,
    pub(super) tokens: Vec<String>,
    pub(super) text_tokens: Vec<String>,
    pub(super) describing: Vec<String>,
    pub(super) headers: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the file"))]
    pub(super) source: String,
}

/// A program that takes a secret after a flag that does not say so.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Command {
    pub(super) programs: Vec<String>,
    #[serde(default)]
    pub(super) after: Vec<String>,
    #[serde(default)]
    pub(super) flags: Vec<String>,
    #[serde(default)]
    pub(super) joined: Joined,
    pub(super) part: Option<char>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the file"))]
    pub(super) source: String,
}

/// Whether flag and value may be one word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Joined {
    #[default]
    Never,
    May,
    Only,
}

impl Table {
    fn of(text: &str) -> Self {
        let file: File = embedded::table(text);
        let mut words = Vec::new();
        let mut owners = Vec::new();
        for (index, shape) in file.shape.iter().enumerate() {
            words.extend(&shape.literals);
            owners.extend(shape.literals.iter().map(|_| index));
        }
        let literals = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(words)
            .expect("it is part of the program and the tests read it");
        Self {
            shapes: file.shape,
            names: file.names,
            commands: file.command,
            literals,
            owners,
        }
    }

    /// The shapes of which a literal is in `text`.
    pub(super) fn candidates(&self, text: &str) -> impl Iterator<Item = &Shape> {
        let mut met = vec![false; self.shapes.len()];
        for found in self.literals.find_overlapping_iter(text) {
            met[self.owners[found.pattern().as_usize()]] = true;
        }
        self.shapes
            .iter()
            .zip(met)
            .filter_map(|(shape, is_met)| is_met.then_some(shape))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_compiles_and_names_its_source() {
        for shape in &TABLE.shapes {
            assert!(!shape.source.is_empty(), "{}", shape.id);
            let groups = shape.regex().capture_names().flatten().collect::<Vec<_>>();
            assert_eq!(groups, ["secret"], "{}", shape.id);
        }
        for command in &TABLE.commands {
            assert!(!command.source.is_empty(), "{:?}", command.programs);
        }
        assert!(!TABLE.names.source.is_empty());
    }
}
