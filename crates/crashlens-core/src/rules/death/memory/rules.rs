//! The rules of the family, in the order of the book.

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

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
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
];
