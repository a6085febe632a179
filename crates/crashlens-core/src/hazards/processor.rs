//! What native files ask of the processor.

mod avx_code;
mod cpu_level;
mod emulated_processor;
mod foreign_architecture;
mod levels;
mod variants;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "The processor",
    letters: "CPU",
    rules: &[
        &cpu_level::RULE,
        &avx_code::RULE,
        &foreign_architecture::RULE,
        &emulated_processor::RULE,
    ],
};
