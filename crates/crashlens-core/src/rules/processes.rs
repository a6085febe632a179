//! Processes, threads and the interpreter.

mod after_fork;
mod bytecode;
mod fork_misuse;
mod hardware;
mod interpreter_misuse;
mod leaving;
mod teardown;
mod thread_unsafe_library;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Processes, threads and the interpreter",
    letters: "PRO",
    rules: &[
        &fork_misuse::RULE,
        &thread_unsafe_library::RULE,
        &teardown::RULE,
        &interpreter_misuse::RULE,
        &hardware::RULE,
    ],
};

#[cfg(test)]
#[path = "processes/tests.rs"]
mod tests;
