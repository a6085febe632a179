//! What is installed, and whether it goes together.

mod altered_files;
mod commands;
mod compared;
mod gencode_words;
mod missing_code;
mod overlap_remedy;
mod places;
mod requirement_words;
mod rules;
mod unreadable_files;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "Installed packages",
    letters: "PKG",
    rules: rules::ALL,
};
