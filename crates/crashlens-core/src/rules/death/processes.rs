//! Processes, threads and the interpreter.

mod after_fork;
mod bytecode;
mod devices;
mod interpreter_lock;
mod kernel_lines;
mod leaving;
mod rules;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "Processes, threads and the interpreter",
    letters: "PRO",
    rules: rules::ALL,
};

#[cfg(test)]
mod tests;
