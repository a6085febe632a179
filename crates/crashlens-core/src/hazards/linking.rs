//! Whether native files can be loaded, and what they meet in one process.

mod builds;
mod libraries;
mod library_too_old;
mod missing_library;
mod numpy_one_modules;
mod numpy_outcomes;
mod old_pybind11;
mod shadowed_libraries;
mod static_tls;
mod truncated_library;
mod undefined_symbols;

#[cfg(test)]
mod tests;

use super::Family;

pub(super) use missing_library::is_told as is_told_missing;

pub(super) const FAMILY: Family = Family {
    title: "Loading native files",
    letters: "LNK",
    rules: &[
        &undefined_symbols::RULE,
        &missing_library::RULE,
        &library_too_old::RULE,
        &truncated_library::RULE,
        &numpy_one_modules::RULE,
        &old_pybind11::RULE,
        &shadowed_libraries::RULE,
        &static_tls::RULE,
    ],
};
