//! The rules of the family, in the order of the book.

mod avx_code;
mod cpu_level;
mod emulated_processor;
mod foreign_architecture;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &cpu_level::RULE,
    &avx_code::RULE,
    &foreign_architecture::RULE,
    &emulated_processor::RULE,
];
