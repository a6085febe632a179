//! What can be said where no cause can be told.

mod known;
mod rules;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "Where no cause can be told",
    letters: "VER",
    rules: rules::ALL,
};

#[cfg(test)]
mod tests;
