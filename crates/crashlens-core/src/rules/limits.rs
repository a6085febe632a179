//! Memory, disks and other limits.

mod allocation_refused;
mod cpu_limit;
mod disk_full;
mod fewer_threads;
mod file_size_limit;
mod full;
mod killed_unrecorded;
mod mapped_file_truncated;
mod memory;
mod out_of_memory;
mod refusal;
mod shared_memory_full;
mod thread_limit;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Memory, disks and other limits",
    letters: "LIM",
    rules: &[
        &out_of_memory::RULE,
        &killed_unrecorded::RULE,
        &allocation_refused::RULE,
        &shared_memory_full::RULE,
        &disk_full::RULE,
        &mapped_file_truncated::RULE,
        &thread_limit::RULE,
        &cpu_limit::RULE,
        &file_size_limit::RULE,
    ],
};

#[cfg(test)]
#[path = "limits/tests.rs"]
mod tests;
