//! Signs: words by which software says what is wrong with it, as facts about the world in `data/signs/*.toml`.
//!
//! Responsible for finding them in lines of text. What a sign means for a death is for the rules.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use regex::Regex;
use serde::Deserialize;

use crate::embedded;

/// The files, one a family of rules.
const FILES: [&str; 7] = [
    include_str!("../data/signs/memory.toml"),
    include_str!("../data/signs/limits.toml"),
    include_str!("../data/signs/install.toml"),
    include_str!("../data/signs/gpu.toml"),
    include_str!("../data/signs/ops.toml"),
    include_str!("../data/signs/processes.toml"),
    include_str!("../data/signs/verdicts.toml"),
];

/// One entry of a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sign {
    /// Its name: what it says, not what it means.
    pub(crate) id: String,
    /// Words of which every line with the sign has one, exactly so: they find it in a log of any size.
    literals: Vec<String>,
    /// The sign; named groups are for the rules.
    pattern: String,
    /// Where the words are written, or the report in which they were read.
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    source: String,
    /// Versions, or a date.
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    seen: String,
    #[serde(skip)]
    compiled: OnceLock<Regex>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    sign: Vec<Sign>,
}

impl Sign {
    /// Compiled when its literal is first met, because most signs are never met.
    fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| embedded::regex(&self.pattern))
    }
}

struct Book {
    signs: Vec<Sign>,
    literals: AhoCorasick,
    /// The sign of each literal.
    owners: Vec<usize>,
}

static BOOK: LazyLock<Book> = LazyLock::new(|| {
    let files = FILES.iter().map(|text| embedded::table::<File>(text));
    let signs: Vec<Sign> = files.flat_map(|file| file.sign).collect();
    let literals: Vec<(usize, &str)> = signs
        .iter()
        .enumerate()
        .flat_map(|(owner, sign)| sign.literals.iter().map(move |it| (owner, it.as_str())))
        .collect();
    let automaton = AhoCorasickBuilder::new()
        .match_kind(MatchKind::Standard)
        .build(literals.iter().map(|(_, literal)| literal))
        .expect("there are few literals");
    let owners = literals.iter().map(|(owner, _)| *owner).collect();
    Book {
        signs,
        literals: automaton,
        owners,
    }
});

/// The literals of all signs: a line without one has no sign.
pub(crate) fn literals() -> impl Iterator<Item = &'static str> {
    BOOK.signs
        .iter()
        .flat_map(|sign| sign.literals.iter().map(String::as_str))
}

/// The signs in a line, each once, in the order of the files.
pub(crate) fn in_line(line: &str) -> Vec<(&'static Sign, regex::Captures<'_>)> {
    let book = &*BOOK;
    let mut owners: Vec<usize> = book
        .literals
        .find_overlapping_iter(line)
        .filter_map(|hit| book.owners.get(hit.pattern().as_usize()).copied())
        .collect();
    owners.sort_unstable();
    owners.dedup();
    owners
        .into_iter()
        .filter_map(|owner| book.signs.get(owner))
        .filter_map(|sign| Some((sign, sign.regex().captures(line)?)))
        .collect()
}

/// Whether there is a sign of that name.
pub(crate) fn exists(id: &str) -> bool {
    BOOK.signs.iter().any(|sign| sign.id == id)
}

#[cfg(test)]
#[path = "signs/tests.rs"]
mod tests;
