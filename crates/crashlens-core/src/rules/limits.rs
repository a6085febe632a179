//! Memory, disks and other limits.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Memory, disks and other limits",
    letters: "LIM",
    rules: &[],
};
