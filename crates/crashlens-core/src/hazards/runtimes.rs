//! Libraries that must not be in one process twice.

mod cuda_lines;
mod exported_llvm;
mod exported_protobuf;
mod exports;
mod openmp_runtimes;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Two of a kind",
    letters: "TWO",
    rules: &[
        &exported_llvm::RULE,
        &exported_protobuf::RULE,
        &openmp_runtimes::RULE,
        &cuda_lines::RULE,
    ],
};
