//! The rules of the family, in the order of the book.

mod allocation_refused;
mod cpu_limit;
mod disk_full;
mod file_size_limit;
mod killed_unrecorded;
mod mapped_file_truncated;
mod out_of_memory;
mod shared_memory_full;
mod thread_limit;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &out_of_memory::RULE,
    &killed_unrecorded::RULE,
    &allocation_refused::RULE,
    &shared_memory_full::RULE,
    &disk_full::RULE,
    &mapped_file_truncated::RULE,
    &thread_limit::RULE,
    &cpu_limit::RULE,
    &file_size_limit::RULE,
];
