//! The rules of the family, in the order of the book.

mod cuda_lines;
mod exported_llvm;
mod exported_protobuf;
mod openmp_runtimes;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &exported_llvm::RULE,
    &exported_protobuf::RULE,
    &openmp_runtimes::RULE,
    &cuda_lines::RULE,
];
