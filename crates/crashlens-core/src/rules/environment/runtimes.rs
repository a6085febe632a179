//! Libraries that must not be in one process twice.

mod cuda_uses;
mod exports;
mod rules;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "Two of a kind",
    letters: "TWO",
    rules: rules::ALL,
};
