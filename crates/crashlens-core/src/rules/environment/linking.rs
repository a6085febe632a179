//! Whether native files can be loaded, and what they meet in one process.

mod builds;
mod libraries;
mod missed_library;
mod missed_library_remedies;
mod numpy_outcomes;
mod old_library_remedies;
mod other_copies;
mod rules;
mod symbol_remedies;
mod symbol_words;

use crate::book::Family;

pub(super) use missed_library::is_told as is_told_missing;

pub(super) const FAMILY: Family = Family {
    title: "Loading native files",
    letters: "LNK",
    rules: rules::ALL,
};

#[cfg(test)]
mod tests;
