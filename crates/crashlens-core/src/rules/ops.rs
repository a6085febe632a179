//! Operations, values and files.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Operations, values and files",
    letters: "OPS",
    rules: &[],
};
