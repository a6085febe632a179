//! Models, checkpoints and weights.

mod keras;
mod rules;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "Models",
    letters: "MDL",
    rules: rules::ALL,
};
