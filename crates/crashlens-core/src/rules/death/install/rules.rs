//! The rules of the family, in the order of the book.

mod abi_mismatch;
mod allocator_preload;
mod duplicate_openmp;
mod glibc_or_tls;
mod known_bad_version;
mod library_clash;
mod llvm_twice;
mod numpy_abi;
mod protobuf_descriptor;
mod protobuf_runtimes;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &abi_mismatch::RULE,
    &numpy_abi::RULE,
    &protobuf_descriptor::RULE,
    &protobuf_runtimes::RULE,
    &duplicate_openmp::RULE,
    &library_clash::RULE,
    &llvm_twice::RULE,
    &glibc_or_tls::RULE,
    &allocator_preload::RULE,
    &known_bad_version::RULE,
];
