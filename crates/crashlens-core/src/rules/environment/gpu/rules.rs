//! The rules of the family, in the order of the book.

mod driver_library_mismatch;
mod driver_library_missing;
mod driver_too_old;
mod gpu_library_older;
mod gpu_library_shadowed;
mod gpu_parts_missing;
mod wsl_driver_library;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &driver_too_old::RULE,
    &driver_library_missing::RULE,
    &driver_library_mismatch::RULE,
    &wsl_driver_library::RULE,
    &gpu_parts_missing::RULE,
    &gpu_library_older::RULE,
    &gpu_library_shadowed::RULE,
];
