//! Sets of files that are valid one by one, and break a batch together.

mod features_vary;
mod labels_out_of_range;
mod odd_ones_out;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Sets of files",
    letters: "SET",
    rules: &[
        &odd_ones_out::RULE,
        &features_vary::RULE,
        &labels_out_of_range::RULE,
    ],
};
