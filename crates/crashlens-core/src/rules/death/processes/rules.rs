//! The rules of the family, in the order of the book.

mod fork_misuse;
mod hardware;
mod interpreter_misuse;
mod teardown;
mod thread_unsafe_library;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &fork_misuse::RULE,
    &thread_unsafe_library::RULE,
    &teardown::RULE,
    &interpreter_misuse::RULE,
    &hardware::RULE,
];
