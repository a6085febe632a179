//! Flaws of single files, of whatever kind.

mod cut_short;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Files",
    letters: "FIL",
    rules: &[&cut_short::RULE],
};
