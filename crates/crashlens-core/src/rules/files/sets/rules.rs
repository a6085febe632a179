//! The rules of the family, in the order of the book.

mod features_vary;
mod labels_out_of_range;
mod odd_ones_out;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &odd_ones_out::RULE,
    &features_vary::RULE,
    &labels_out_of_range::RULE,
];
