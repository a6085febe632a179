//! Libraries that must not be in one process twice.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Two of a kind",
    letters: "TWO",
    rules: &[],
};
