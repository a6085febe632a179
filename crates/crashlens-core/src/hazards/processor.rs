//! What native files ask of the processor.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "The processor",
    letters: "CPU",
    rules: &[],
};
