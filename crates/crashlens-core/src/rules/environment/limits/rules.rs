//! The rules of the family, in the order of the book.

mod few_tasks;
mod low_memory_limit;
mod processor_time;
mod small_address_space;
mod small_shared_memory;
mod small_stack;
mod strict_overcommit;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &small_stack::RULE,
    &small_address_space::RULE,
    &few_tasks::RULE,
    &low_memory_limit::RULE,
    &small_shared_memory::RULE,
    &strict_overcommit::RULE,
    &processor_time::RULE,
];
