//! What is installed.

mod abi;
mod clash_on_stack;
mod llvm_frames;
mod loader_words;
mod openmp_waiting;
mod protobuf_locks;
mod protobuf_shutdown;
mod rules;
mod symptom;

use crate::book::Family;

pub(super) const FAMILY: Family = Family {
    title: "What is installed",
    letters: "INS",
    rules: rules::ALL,
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
