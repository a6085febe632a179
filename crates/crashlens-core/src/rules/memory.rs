//! Memory faults.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Memory faults",
    letters: "MEM",
    rules: &[],
};
