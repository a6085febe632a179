//! What is installed, and whether it goes together.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Installed packages",
    letters: "PKG",
    rules: &[],
};
