//! What can be said where no cause can be told.

mod insufficient_evidence;
mod killed_from_outside;
mod known;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Where no cause can be told",
    letters: "VER",
    rules: &[&insufficient_evidence::RULE, &killed_from_outside::RULE],
};
