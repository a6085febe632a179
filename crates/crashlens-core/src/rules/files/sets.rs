//! Sets of files that are valid one by one, and break a batch together.

mod rules;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "Sets of files",
    letters: "SET",
    rules: rules::ALL,
};
