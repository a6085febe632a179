//! Tables and patterns that are compiled into the program.
//!
//! They are as fixed as code: a broken one is a bug that the first test to use it finds, so reading them cannot fail.

use regex::{Regex, RegexSet};
use serde::de::DeserializeOwned;

const FIXED: &str = "it is part of the program and the tests read it";

/// A file of `data/`, in TOML.
pub(crate) fn table<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).expect(FIXED)
}

/// A pattern that the code or a file of `data/` has.
pub(crate) fn regex(text: &str) -> Regex {
    Regex::new(text).expect(FIXED)
}

/// Such patterns, looked for all at once.
pub(crate) fn regex_set<'a>(texts: impl IntoIterator<Item = &'a String>) -> RegexSet {
    RegexSet::new(texts).expect(FIXED)
}
