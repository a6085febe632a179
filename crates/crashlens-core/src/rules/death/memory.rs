//! Memory faults, faults of single instructions, and calls from Python into C.

mod foreign_calls;
mod objects;
mod rules;

use crate::book::Family;
use crate::capture::Instruction;
use crate::facts::Facts;
use crate::remedy::Again;
use crate::rule::Remedy;

pub(super) const FAMILY: Family = Family {
    title: "Memory faults",
    letters: "MEM",
    rules: rules::ALL,
};

/// The re-run that finds damage of the heap nearer to its origin.
fn allocator_checks(facts: &Facts<'_>) -> Remedy {
    // From 2.34 on the checks are in a library of their own; before it they were always there.
    let glibc = facts.capture().host.glibc.known();
    let minor = glibc.and_then(|version| version.strip_prefix("2.")?.parse::<u32>().ok());
    let run = match minor {
        Some(0..34) => Again::under_crashlens(),
        _ => Again::under_crashlens().set("LD_PRELOAD", "libc_malloc_debug.so.0"),
    };
    Remedy::new(
        "Run again with the allocator's checks: it stops nearer to the code that did the damage.",
    )
    .command(
        run.set("MALLOC_CHECK_", "3")
            .set("MALLOC_PERTURB_", "165")
            .set("PYTHONMALLOC", "debug"),
    )
}

/// Whether the instruction is there to stop the program, on any processor.
fn is_trap(instruction: &Instruction) -> bool {
    let name = instruction
        .text
        .split_whitespace()
        .next()
        .unwrap_or_default();
    ["ud2", "ud1", "ud0"].contains(&name)
}

#[cfg(test)]
mod tests;
