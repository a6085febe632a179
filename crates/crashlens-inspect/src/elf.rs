//! One ELF file: the part of it that the dynamic loader looks at, and the fingerprints that rules ask for.
//!
//! Everything is found through program headers and the dynamic segment, as the loader does it; section headers, which
//! may be missing, only help where the loader's tables are silent. Files of other machines than 64-bit little-endian
//! ones are named and not read further.
//!
//! On the `object` crate, which reads the tables; what the loader looks at, and in which order, is decided here.

mod arch;
mod count;
mod dynamic;
mod exports;
mod fingerprint;
mod layout;
mod order;
mod reading;
mod source;
mod stranger;
mod strings;
mod symbols;
#[cfg(test)]
mod tests;
mod versions;

use std::io;
use std::path::Path;

use crashlens_core::survey::{CpuNeeds, NumpyUse, OpenMp, Truncation, VectorCode};
use serde::{Deserialize, Serialize};

use arch::x86_64;
#[cfg(test)]
pub(crate) use exports::Collected;
pub use exports::Exports;
pub(crate) use exports::hash;
pub(crate) use layout::architecture;
pub(crate) use reading::from_source;
pub(crate) use source::OpenFile;

pub(crate) use crate::bounded::open;

/// What a text file is called: a linker's script, or a stub that a build system leaves.
pub(crate) const TEXT: &str = "it is a text file";

/// Why nothing is known of a file.
#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    /// The system would not give its bytes.
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    /// It is no ELF file.
    #[error("{0}")]
    NotElf(&'static str),
    /// It ends before its machine can be told.
    #[error("it ends after {} bytes, within its first header", .0.present)]
    CutShort(Truncation),
    /// It begins as an ELF file does, and then makes no sense.
    #[error("it is no sound ELF file: {0}")]
    Malformed(&'static str),
}

/// Reads the part of a file that the dynamic loader looks at.
pub fn read(path: &Path) -> Result<ElfFile, ElfError> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    from_source(&OpenFile { file: &file, size })
}

/// Counts the vector instructions of a file; `None` where there is no code of x86-64 in it.
pub(crate) fn vectors_of(source: &impl source::Source) -> Result<Option<VectorCode>, ElfError> {
    let layout = layout::Layout::read(source)?;
    let is_known = layout.is_readable && layout.architecture == x86_64::NAME;
    Ok(is_known.then(|| x86_64::count(source, &layout)).flatten())
}

/// Whether the instructions of a file can be counted by [`vectors_of`].
pub(crate) fn has_vectors(file: &ElfFile) -> bool {
    file.architecture == x86_64::NAME
}

/// What was read of an ELF file. Symbols that it defines are kept as hashes of their names: there are half a million of
/// them in TensorFlow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElfFile {
    /// `x86-64`, `aarch64`, …
    pub architecture: String,
    /// Whether it is a shared object (or a position-independent executable).
    pub is_shared: bool,
    /// Set where the file ends before what its headers promise. What else is said of it is then what could be read.
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
    /// Parts that could not be read, in words; what they would have said is missing above, which is no evidence.
    pub unread: Vec<String>,
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
