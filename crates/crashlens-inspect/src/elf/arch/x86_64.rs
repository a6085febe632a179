//! x86-64: levels `v1` to `v4`, and code that was compiled for AVX.

mod property;
mod vectors;

pub(crate) use property::levels;
pub(crate) use vectors::count;

/// The processor as `ElfFile::architecture` has it.
pub(crate) const NAME: &str = "x86-64";
