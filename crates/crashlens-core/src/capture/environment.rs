//! What came with the process: interpreter, variables, limits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Limit, Observed, Package};

/// What came with the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The interpreter; `Absent` for a process without Python.
    pub python: Observed<PythonRuntime>,
    /// Environment variables on the allow-list, secrets masked.
    pub variables: Observed<BTreeMap<String, String>>,
    /// Python packages that are named beside the loaded libraries, as pasted text may.
    #[serde(default)]
    pub packages: Observed<Vec<Package>>,
    /// Resource limits.
    pub limits: Observed<Vec<Limit>>,
}

/// The Python interpreter in a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PythonRuntime {
    /// `3.11.7`, or `3.11` when only that could be told.
    pub version: String,
    /// The file that holds the interpreter: a libpython or the executable.
    pub library: String,
    /// Whether the interpreter is a shared library.
    pub shared: bool,
    /// Whether `.symtab` was missing, so that names come from exported symbols alone.
    pub stripped: bool,
    /// Whether finalisation (interpreter exit) had begun; `None` when it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finalizing: Option<bool>,
}
