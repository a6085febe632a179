//! Whether native files can be loaded, and what they meet in one process.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Loading native files",
    letters: "LNK",
    rules: &[],
};
