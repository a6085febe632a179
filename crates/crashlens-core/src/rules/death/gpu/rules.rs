//! The rules of the family, in the order of the book.

mod cudnn_version;
mod gpu_driver;
mod gpu_fault;
mod gpu_handle;
mod gpu_library_missing;
mod gpu_memory;
mod profiler;
mod two_cuda_stacks;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &cudnn_version::RULE,
    &two_cuda_stacks::RULE,
    &gpu_library_missing::RULE,
    &gpu_driver::RULE,
    &gpu_fault::RULE,
    &gpu_handle::RULE,
    &gpu_memory::RULE,
    &profiler::RULE,
];
