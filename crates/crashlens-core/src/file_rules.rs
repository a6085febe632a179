//! What files are checked for: one family a folder, one file a rule.

mod data;
mod model;
mod sets;

use crate::files::FileRule;

/// The families, in the order of the book.
pub const FAMILIES: [Family; 3] = [data::FAMILY, sets::FAMILY, model::FAMILY];

/// A chapter of rules about files.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its title.
    pub title: &'static str,
    /// The letters that the ids of its rules begin with.
    pub letters: &'static str,
    /// Its rules.
    pub rules: &'static [&'static FileRule],
}

/// Every rule, in the order of the book.
pub fn all() -> impl Iterator<Item = &'static FileRule> {
    FAMILIES.iter().flat_map(|family| family.rules).copied()
}

/// Where in the book the rule of an id stands.
pub(crate) fn position(id: &str) -> Option<usize> {
    all().position(|rule| rule.id == id)
}

#[cfg(test)]
mod tests;
