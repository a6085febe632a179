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
use crate::capture::Limit;
use crate::rule::Remedy;

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

/// How a soft limit is raised to `enough`: by anybody up to the hard one, beyond by the administrator only.
fn raise(limit: Option<&Limit>, option: &str, enough: u64) -> Remedy {
    match limit.and_then(|limit| limit.hard) {
        None => Remedy::new("Lift the limit in the shell that starts the program.")
            .command(format!("ulimit -S {option} unlimited")),
        Some(hard) if hard >= enough => {
            Remedy::new("Raise the limit up to the hard one, in the shell that starts the program.")
                .command(format!("ulimit -S {option} \"$(ulimit -H {option})\""))
        }
        Some(_) => Remedy::new(
            "Have the hard limit raised, which only the administrator or the batch system can.",
        ),
    }
}
