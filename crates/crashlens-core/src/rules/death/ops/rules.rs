//! The rules of the family, in the order of the book.

mod bad_input_value;
mod check_failure;
mod corrupt_data_file;
mod corrupt_model_file;
mod escaped_exception;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &check_failure::RULE,
    &escaped_exception::RULE,
    &bad_input_value::RULE,
    &corrupt_data_file::RULE,
    &corrupt_model_file::RULE,
];
