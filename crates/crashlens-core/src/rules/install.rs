//! What is installed.

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

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "What is installed",
    letters: "INS",
    rules: &[
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
    ],
};

/// A function's name, short enough for a claim.
fn short(function: &str) -> String {
    const LONGEST: usize = 100;
    if function.len() <= LONGEST {
        return function.to_owned();
    }
    format!("{}…", &function[..function.floor_char_boundary(LONGEST)])
}

/// Whether libraries, as `LD_PRELOAD` lists them, have an allocator among them.
fn is_allocator(libraries: &str) -> bool {
    ["tcmalloc", "jemalloc", "mimalloc", "hoard", "scudo"]
        .iter()
        .any(|name| libraries.contains(name))
}

#[cfg(test)]
mod near_misses;
