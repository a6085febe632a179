//! Limits of the machine and the container.

mod few_tasks;
mod low_memory_limit;
mod processor_time;
mod small_address_space;
mod small_shared_memory;
mod small_stack;
mod strict_overcommit;
mod threads;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Limits",
    letters: "SYS",
    rules: &[
        &small_stack::RULE,
        &small_address_space::RULE,
        &few_tasks::RULE,
        &low_memory_limit::RULE,
        &small_shared_memory::RULE,
        &strict_overcommit::RULE,
        &processor_time::RULE,
    ],
};

/// Measured needs are in millions of bytes.
const MEGABYTE: u64 = 1_000_000;
