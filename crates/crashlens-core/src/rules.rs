//! The rule book: one family a folder, one file a rule.

mod gpu;
mod install;
mod limits;
mod memory;
mod ops;
mod processes;
mod verdicts;

use crate::rule::Rule;

/// The families, in the order of the book: its title, the letters its rules' ids begin with, and its rules.
pub const FAMILIES: [Family; 7] = [
    memory::FAMILY,
    ops::FAMILY,
    limits::FAMILY,
    processes::FAMILY,
    install::FAMILY,
    gpu::FAMILY,
    verdicts::FAMILY,
];

/// A chapter of the rule book.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its title.
    pub title: &'static str,
    /// The letters that the ids of its rules begin with.
    pub letters: &'static str,
    /// Its rules.
    pub rules: &'static [&'static Rule],
}

/// Every rule, in the order of the book.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|family| family.rules).copied()
}

/// The rule of an id or a name, in any case.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id.eq_ignore_ascii_case(id) || rule.name.eq_ignore_ascii_case(id))
}

#[cfg(test)]
#[path = "rules/tests.rs"]
mod tests;
