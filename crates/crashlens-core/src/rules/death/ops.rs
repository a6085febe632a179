//! Operations, values and files.

mod blame;
mod call;
mod damage;
mod escape;
mod failed_check;
mod meanings;
mod model_advice;
mod rules;
mod thrown;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "Operations, values and files",
    letters: "OPS",
    rules: rules::ALL,
};
