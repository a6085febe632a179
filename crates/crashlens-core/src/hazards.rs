//! The hazards that a survey is searched for: one family a folder, one file a rule.

mod gpu;
mod limits;
mod linking;
mod packages;
mod processor;
mod runtimes;

use crate::hazard::HazardRule;

/// The families, in the order of the book.
pub const FAMILIES: [Family; 6] = [
    linking::FAMILY,
    runtimes::FAMILY,
    packages::FAMILY,
    processor::FAMILY,
    gpu::FAMILY,
    limits::FAMILY,
];

/// A chapter of hazards.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its title.
    pub title: &'static str,
    /// The letters that the ids of its rules begin with.
    pub letters: &'static str,
    /// Its rules.
    pub rules: &'static [&'static HazardRule],
}

/// Every rule, in the order of the book.
pub fn all() -> impl Iterator<Item = &'static HazardRule> {
    FAMILIES.iter().flat_map(|family| family.rules).copied()
}

/// The rule of an id or a name, in any case.
pub fn find(id: &str) -> Option<&'static HazardRule> {
    all().find(|rule| rule.id.eq_ignore_ascii_case(id) || rule.name.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests;
