//! Flaws of single files, of whatever kind.

mod rules;
mod tables;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "Files",
    letters: "FIL",
    rules: rules::ALL,
};
