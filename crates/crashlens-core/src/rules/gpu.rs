//! GPU libraries and drivers.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "GPU libraries and drivers",
    letters: "GPU",
    rules: &[],
};
