//! Models, checkpoints and weights.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Models",
    letters: "MDL",
    rules: &[],
};
