//! The rules: one folder a kind, one folder a family, one file a rule with its page.
//!
//! What the rules of a family share stands beside their folder `rules/`. Rules do not see each other.

mod death;
mod environment;
mod files;

use crate::book::Family;

/// The families, in the order of the book.
pub(crate) const FAMILIES: [&[Family]; 3] =
    [&death::FAMILIES, &environment::FAMILIES, &files::FAMILIES];
