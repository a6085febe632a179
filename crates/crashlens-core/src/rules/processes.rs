//! Processes, threads and the interpreter.

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Processes, threads and the interpreter",
    letters: "PRO",
    rules: &[],
};
