//! Memory faults, faults of single instructions, and calls from Python into C.

mod bad_foreign_call;
mod bad_object;
mod buffer_overrun;
mod division_by_zero;
mod division_overflow;
mod heap_corruption;
mod illegal_instruction;
mod null_pointer;
mod out_of_bounds;
mod overwritten_pointer;
mod stack_overflow;
mod use_after_free;
mod wrong_architecture;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Memory faults",
    letters: "MEM",
    rules: &[
        &null_pointer::RULE,
        &out_of_bounds::RULE,
        &use_after_free::RULE,
        &heap_corruption::RULE,
        &overwritten_pointer::RULE,
        &buffer_overrun::RULE,
        &stack_overflow::RULE,
        &division_by_zero::RULE,
        &division_overflow::RULE,
        &illegal_instruction::RULE,
        &wrong_architecture::RULE,
        &bad_foreign_call::RULE,
        &bad_object::RULE,
    ],
};
