//! Limits of the machine and the container.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Limits",
    letters: "SYS",
    rules: &[],
};
