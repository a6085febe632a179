//! Operations, values and files.

mod bad_input_value;
mod blame;
mod call;
mod check_failure;
mod corrupt_data_file;
mod corrupt_model_file;
mod damage;
mod escape;
mod escaped_exception;
mod failed_check;
mod meanings;
mod thrown;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Operations, values and files",
    letters: "OPS",
    rules: &[
        &check_failure::RULE,
        &escaped_exception::RULE,
        &bad_input_value::RULE,
        &corrupt_data_file::RULE,
        &corrupt_model_file::RULE,
    ],
};
