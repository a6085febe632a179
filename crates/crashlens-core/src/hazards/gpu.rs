//! Driver and libraries of the GPU.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "The GPU's libraries",
    letters: "CUD",
    rules: &[],
};
