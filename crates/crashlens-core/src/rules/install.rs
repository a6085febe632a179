//! What is installed.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "What is installed",
    letters: "INS",
    rules: &[],
};
