//! What native files ask of the processor.

mod levels;
mod rules;
mod variants;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "The processor",
    letters: "CPU",
    rules: rules::ALL,
};
