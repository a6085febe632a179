//! Memory faults, faults of single instructions, and calls from Python into C.

mod address_sanitizer;
mod array_bounds;
mod bad_foreign_call;
mod bad_object;
mod buffer_overrun;
mod deep_recursion;
mod division_by_zero;
mod division_overflow;
mod foreign_function;
mod foreign_pointer;
mod heap_corruption;
mod illegal_instruction;
mod missing_cpu_feature;
mod null_pointer;
mod out_of_bounds;
mod overwritten_pointer;
mod pure_virtual_call;
mod small_address;
mod stack_overflow;
mod trap_instruction;
mod use_after_free;
mod wrong_architecture;

use super::Family;
use crate::facts::Facts;
use crate::rule::Remedy;

pub(super) const FAMILY: Family = Family {
    title: "Memory faults",
    letters: "MEM",
    rules: &[
        &null_pointer::RULE,
        &small_address::RULE,
        &array_bounds::RULE,
        &out_of_bounds::RULE,
        &buffer_overrun::RULE,
        &use_after_free::RULE,
        &pure_virtual_call::RULE,
        &heap_corruption::RULE,
        &overwritten_pointer::RULE,
        &address_sanitizer::RULE,
        &stack_overflow::RULE,
        &deep_recursion::RULE,
        &division_by_zero::RULE,
        &division_overflow::RULE,
        &illegal_instruction::RULE,
        &missing_cpu_feature::RULE,
        &trap_instruction::RULE,
        &wrong_architecture::RULE,
        &bad_foreign_call::RULE,
        &foreign_function::RULE,
        &foreign_pointer::RULE,
        &bad_object::RULE,
    ],
};

/// The re-run that finds damage of the heap nearer to its origin.
fn allocator_checks(facts: &Facts<'_>) -> Remedy {
    // From 2.34 on the checks are in a library of their own; before it they were always there.
    let glibc = facts.capture().host.glibc.known();
    let minor = glibc.and_then(|version| version.strip_prefix("2.")?.parse::<u32>().ok());
    let preload = match minor {
        Some(0..34) => "",
        _ => "LD_PRELOAD=libc_malloc_debug.so.0 ",
    };
    Remedy::new("Run again with the allocator's checks: it stops nearer to the code that did the damage.").command(
        format!("crashlens run -- env {preload}MALLOC_CHECK_=3 MALLOC_PERTURB_=165 PYTHONMALLOC=debug python your_script.py"),
    )
}

#[cfg(test)]
mod tests;
