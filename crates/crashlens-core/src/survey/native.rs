//! ELF files: what each one is, and what the loader would make of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::capture::{Observed, Package};

/// One ELF file, or what has the name of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NativeFile {
    /// Its path.
    pub path: String,
    /// The distribution that lists it.
    pub package: Option<Package>,
    /// Bytes.
    pub size: u64,
    /// `x86-64`, `aarch64`, …; unknown where the file is no ELF file that can be read, absent where it is text that has
    /// the name by right: a linker's script, a stub.
    pub architecture: Observed<String>,
    /// Set where the file ends before what its headers promise.
    pub truncation: Option<Truncation>,
    /// Why it is none that can be loaded, where its name says that it should be: "it is no sound ELF file: …". Not set
    /// where it could not be read, nor for text that has the name by right.
    pub unsound: Option<String>,
    /// `DT_SONAME`.
    pub soname: Option<String>,
    /// `DT_NEEDED`.
    pub needed: Vec<String>,
    /// Set for a module that Python imports.
    pub extension: Option<Extension>,
    /// What the loader would say; unknown where it was not tried.
    pub link: Observed<Link>,
    /// Set where it speaks NumPy's C interface.
    pub numpy: Option<NumpyUse>,
    /// Set where it is, or holds, an OpenMP runtime.
    pub openmp: Option<OpenMp>,
    /// How many exported symbols it has in common with TensorFlow's own libraries, by namespace (`llvm`, `mlir`,
    /// `google::protobuf`, `absl`, or `other`); for files outside TensorFlow only, and only where TensorFlow loads its
    /// libraries for the whole process to see.
    pub shared_with_tensorflow: BTreeMap<String, u64>,
    /// Version of protocol buffers for C++ whose runtime it exports: `3.21.12`, or empty where only that it does is known.
    pub protobuf_runtime: Option<String>,
    /// What it asks of the processor.
    pub cpu: CpuNeeds,
    /// Bytes of thread-local storage that it wants in the static block (`DF_STATIC_TLS`).
    pub static_tls: Option<u64>,
}

/// A file that ends too early.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Truncation {
    /// Bytes that its headers promise.
    pub promised: u64,
    /// Bytes that are there.
    pub present: u64,
}

/// A module that Python imports.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Extension {
    /// `cpython-311-x86_64-linux-gnu`, `abi3`, or empty.
    pub tag: String,
    /// Whether this interpreter looks for files of that tag.
    pub is_importable: bool,
}

/// What the loader would say when it is opened with all symbols bound at once, as Python and TensorFlow do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Link {
    /// Libraries that are not found.
    pub missing_libraries: Vec<MissingLibrary>,
    /// Symbols that nothing it is linked to defines: the first of them.
    pub missing_symbols: Vec<MissingSymbol>,
    /// How many there are.
    pub missing_symbol_count: u64,
    /// Versions of symbols that the library found does not have.
    pub missing_versions: Vec<MissingVersion>,
    /// Libraries that come from elsewhere than where its maker put them.
    pub shadowed: Vec<Shadowed>,
    /// Libraries that `LD_LIBRARY_PATH` leads to and that lack a missing symbol, where without it the search would end
    /// at another that has it.
    pub lacking_by_library_path: Vec<String>,
    /// Whether it was taken for a plugin that TensorFlow loads, and held against TensorFlow's libraries.
    pub into_tensorflow: bool,
    /// What is taken to have been opened before it, in that order: TensorFlow's libraries for its plugins, and
    /// libraries that no search finds but that its package, or one that it asks for, has.
    pub opened_before: Vec<OpenedBefore>,
}

/// A library that is taken to be in the process already.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpenedBefore {
    /// The file.
    pub path: String,
    /// Whether with `RTLD_GLOBAL`.
    pub globally: bool,
}

/// A library that is not found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MissingLibrary {
    /// Its name.
    pub name: String,
    /// The file that needs it.
    pub needed_by: String,
    /// A file of the environment that has the name, but of a package that nothing asks for: another import may have
    /// loaded it before.
    pub elsewhere: Option<String>,
    /// The file at which the loader stops because it is none that can be loaded.
    pub broken: Option<String>,
}

/// A symbol that nothing defines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MissingSymbol {
    /// As it stands in the file.
    pub name: String,
    /// In the words of the source, where it is a C++ name.
    pub demangled: Option<String>,
    /// The file that needs it: the file itself or one it brings in.
    pub needed_by: String,
    /// Another file of the environment that defines it and might have been loaded before with `RTLD_GLOBAL`.
    pub defined_in: Option<String>,
}

/// A version of a library's symbols that is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MissingVersion {
    /// `GLIBCXX_3.4.32`.
    pub version: String,
    /// `libstdc++.so.6`.
    pub library: String,
    /// The file that the loader takes for it.
    pub found: String,
    /// The newest version of the same kind that it has.
    pub newest: Option<String>,
    /// The file that needs it.
    pub needed_by: String,
}

/// A library that comes from elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shadowed {
    /// Its name.
    pub name: String,
    /// Where it is found.
    pub found: String,
    /// Where its maker put it.
    pub bundled: String,
    /// `LD_LIBRARY_PATH` or `LD_PRELOAD`.
    pub by: String,
}

/// Which NumPy interface a file was built for, by the names it holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NumpyUse {
    /// It imports `numpy.core._multiarray_umath`, or complains of `numpy.core.multiarray`, as whatever NumPy's or
    /// Cython's headers of NumPy 1 were compiled into.
    pub old: bool,
    /// It knows `numpy._core`, where NumPy 2 has it.
    pub new: bool,
    /// It goes through pybind11 of before 2.12, which takes NumPy's structures apart by itself.
    pub old_pybind11: bool,
}

/// Which OpenMP runtime a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpenMp {
    /// LLVM's `libomp`.
    Llvm,
    /// Intel's `libiomp5`, which has the same symbols.
    Intel,
    /// GNU's `libgomp`.
    Gnu,
}

/// What a file asks of the processor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CpuNeeds {
    /// Levels that it says it needs (`.note.gnu.property`): `x86-64-v3`.
    pub levels: Vec<String>,
    /// Counts over samples of its code; where the processor has AVX nobody counts.
    pub vectors: Option<VectorCode>,
}

/// Vector instructions in samples of a file's code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VectorCode {
    /// In the forms of AVX and later.
    pub vex: u64,
    /// In the forms of SSE.
    pub legacy: u64,
}
