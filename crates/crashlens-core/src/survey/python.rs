//! The interpreter and what is installed for it.

use serde::{Deserialize, Serialize};

use crate::capture::{GapId, Observed};

/// A Python interpreter on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Interpreter {
    /// As it was named or found.
    pub path: String,
    /// The file behind all links.
    pub real_path: String,
    /// `3.11.7`, or `3.11` when only that could be told.
    pub version: String,
    /// What kind of installation.
    pub kind: InterpreterKind,
    /// `sys.prefix`.
    pub prefix: String,
    /// Folders of packages in the order of `sys.path`.
    pub sites: Vec<String>,
    /// Architecture of the executable as ELF names it: `x86-64`, `aarch64`.
    pub architecture: Observed<String>,
    /// Whether `site-packages` of the user's home are among the folders.
    pub user_site: bool,
    /// How packages are installed for it.
    pub tool: PackageTool,
    /// Folders of packages in its virtual environment that are those of another version of Python, where its own version
    /// has none there: the interpreter below the environment was replaced.
    pub stranded: Vec<String>,
    /// The folder that `PYTHONHOME` names, where it has no standard library of this version.
    pub lost_home: Option<String>,
}

/// How packages are installed for an interpreter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PackageTool {
    /// By its pip.
    #[default]
    Pip,
    /// By uv, which needs no pip in the environment.
    Uv,
    /// There is no pip, and nothing says what was used instead.
    Missing,
    /// By the system's package manager: pip refuses to change it (`EXTERNALLY-MANAGED`).
    Refused,
}

/// What kind of installation an interpreter belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterpreterKind {
    /// A virtual environment.
    Venv,
    /// A conda environment.
    Conda,
    /// What the distribution of the system ships.
    System,
    /// Built or installed otherwise.
    #[default]
    Other,
}

/// One installed distribution: what pip lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Distribution {
    /// Name as its metadata has it.
    pub name: String,
    /// Version as its metadata has it.
    pub version: String,
    /// Its `*.dist-info` or `*.egg-info`.
    pub metadata: String,
    /// `Requires-Dist` lines, as they stand.
    pub requires: Vec<String>,
    /// `Requires-Python`.
    pub requires_python: Option<String>,
    /// `cp311-cp311-manylinux_2_17_x86_64` and the like, from `WHEEL`.
    pub tags: Vec<String>,
    /// What the list of its files says against what is there; absent where there is no list.
    pub files: Observed<FileList>,
    /// Whether it is installed from a source tree in place.
    pub editable: bool,
    /// The source tree that it is installed from in place, where that is not there any more.
    pub lost_source: Option<String>,
    /// Who says that he installed it (`INSTALLER`): `pip`, `uv`, `conda`.
    pub installer: Option<String>,
    /// The newest protocol-buffer generator among its `_pb2.py` files.
    pub gencode: Option<Gencode>,
}

/// The list of a distribution's files against what is on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileList {
    /// How many files it lists, compiled bytecode left out.
    pub listed: u64,
    /// How many of them are not there.
    pub missing_count: u64,
    /// How many of those are code: Python modules and native files outside of folders of tests.
    pub missing_code_count: u64,
    /// The first of the missing, code before everything else.
    pub missing: Vec<String>,
    /// Files whose size (or content, where that was compared) is not as listed: the first of them, code before everything
    /// else.
    pub changed: Vec<ChangedFile>,
    /// How many there are of those.
    pub changed_count: u64,
    /// How many of the files that are code may not be read by whoever made the survey.
    pub unreadable_count: u64,
    /// The first of those.
    pub unreadable: Vec<String>,
    /// Top folders and modules that it installs: `tensorflow`, `numpy`, `numpy.libs`.
    pub top: Vec<String>,
    /// Other distributions that list the same files, with how many.
    pub shared_with: Vec<(String, u64)>,
    /// Set where only the native files were compared with the disk: what is missing or changed besides is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_only: Option<GapId>,
}

/// A file that is not what the list says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChangedFile {
    /// Its path.
    pub path: String,
    /// Bytes that are listed.
    pub listed_size: Option<u64>,
    /// Bytes that are there.
    pub size: u64,
    /// Whether a Python module that is shorter than listed ends in the middle of a line.
    pub ends_within_line: bool,
    /// Another distribution that lists the file with just this size: it was written over.
    pub written_by: Option<String>,
}

/// What generated a distribution's protocol-buffer modules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gencode {
    /// Version of the generator, as the file asks the runtime for: `6.31.1`. For files of before 5.26, which ask for
    /// none: `3.20` where they use `builder`, `3.19` where they do not.
    pub version: String,
    /// Whether the file itself compares that version with the runtime's when it is imported.
    pub is_checked: bool,
    /// A file that has it.
    pub file: String,
    /// How many files.
    pub count: u64,
    /// A file of a generator before 3.19, which makes its descriptors one by one (`FieldDescriptor(`), where there is one.
    pub direct: Option<String>,
    /// How many files of such a generator there are.
    pub direct_count: u64,
}

/// What is special to a TensorFlow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TensorflowTraits {
    /// Its folder.
    pub folder: String,
    /// Whether it loads its libraries with `RTLD_GLOBAL`: `pywrap_dlopen_global_flags.py` is there.
    pub loads_globally: bool,
    /// `2.15.1`, as its own `version`/`__init__` files or headers say; not its metadata.
    pub own_version: Option<String>,
    /// `_GLIBCXX_USE_CXX11_ABI` that it was built with, where it could be told.
    pub cxx11_abi: Option<bool>,
}
