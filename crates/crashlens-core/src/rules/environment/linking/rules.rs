//! The rules of the family, in the order of the book.

mod library_too_old;
mod missing_library;
mod numpy_one_modules;
mod old_pybind11;
mod shadowed_libraries;
mod static_tls;
mod truncated_library;
mod undefined_symbols;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &undefined_symbols::RULE,
    &missing_library::RULE,
    &library_too_old::RULE,
    &truncated_library::RULE,
    &numpy_one_modules::RULE,
    &old_pybind11::RULE,
    &shadowed_libraries::RULE,
    &static_tls::RULE,
];
