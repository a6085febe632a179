//! One ELF file: the part of it that the dynamic loader looks at, and the fingerprints that rules ask for.

mod exports;

use std::io;
use std::path::Path;

use crashlens_core::survey::{CpuNeeds, NumpyUse, OpenMp, Truncation};
use serde::{Deserialize, Serialize};

#[cfg(test)]
pub(crate) use exports::Collected;
pub use exports::Exports;

/// Why nothing is known of a file.
#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    /// The system would not give its bytes.
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    /// It is no ELF file.
    #[error("{0}")]
    NotElf(&'static str),
    /// It begins as an ELF file does, and then makes no sense.
    #[error("the ELF file makes no sense: {0}")]
    Malformed(&'static str),
}

/// Reads the part of a file that the dynamic loader looks at.
pub fn read(_path: &Path) -> Result<ElfFile, ElfError> {
    Err(ElfError::Malformed("not read yet"))
}

/// What was read of an ELF file. Symbols that it defines are kept as hashes of their names: there are half a million of
/// them in TensorFlow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElfFile {
    /// `x86-64`, `aarch64`, …
    pub architecture: String,
    /// Whether it is a shared object (or a position-independent executable).
    pub is_shared: bool,
    /// Set where the file ends before what its headers promise.
    pub truncation: Option<Truncation>,
    /// `PT_INTERP`.
    pub interpreter: Option<String>,
    /// `DT_SONAME`.
    pub soname: Option<String>,
    /// `DT_NEEDED`.
    pub needed: Vec<String>,
    /// `DT_RPATH`, split at colons.
    pub rpath: Vec<String>,
    /// `DT_RUNPATH`, split at colons.
    pub runpath: Vec<String>,
    /// Symbols that it defines.
    pub exported: Exports,
    /// Symbols that it needs.
    pub undefined: Vec<Undefined>,
    /// Versions that it needs of libraries.
    pub version_needs: Vec<VersionNeed>,
    /// Versions that it defines: `GLIBCXX_3.4.30`.
    pub version_definitions: Vec<String>,
    /// Bytes of thread-local storage it wants in the static block (`DF_STATIC_TLS` with a `PT_TLS`).
    pub static_tls: Option<u64>,
    /// What it asks of the processor.
    pub cpu: CpuNeeds,
    /// Which NumPy it speaks to.
    pub numpy: Option<NumpyUse>,
    /// Which OpenMP runtime it is.
    pub openmp: Option<OpenMp>,
    /// The C++ protocol-buffer runtime that it exports; empty where its version is not known.
    pub protobuf_runtime: Option<String>,
    /// Whether it defines `PyInit_…`: a module that Python imports.
    pub is_python_module: bool,
}

/// A symbol that a file needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undefined {
    /// Its name.
    pub name: String,
    /// The version it is bound to: `GLIBC_2.14`.
    pub version: Option<String>,
    /// Whether it may stay undefined.
    pub is_weak: bool,
}

/// A version that a file needs of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionNeed {
    /// `libstdc++.so.6`.
    pub library: String,
    /// `GLIBCXX_3.4.30`.
    pub version: String,
    /// Whether it may be missing (`VER_FLG_WEAK`).
    pub is_weak: bool,
}
