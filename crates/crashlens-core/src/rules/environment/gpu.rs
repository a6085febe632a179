//! Driver and libraries of the GPU.

mod rules;
mod stake;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "The GPU's libraries",
    letters: "CUD",
    rules: rules::ALL,
};
