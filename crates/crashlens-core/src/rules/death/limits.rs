//! Memory, disks and other limits.

mod fewer_threads;
mod full;
mod memory;
mod refusal;
mod rules;
mod sent;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "Memory, disks and other limits",
    letters: "LIM",
    rules: rules::ALL,
};

#[cfg(test)]
mod tests;
