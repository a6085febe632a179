//! `Survey`: what was read of a Python environment and the machine around it, before anything has died.
//!
//! Facts only, as [`crate::capture`] has them of a death. Files were read, nothing was run or imported. Every field
//! has a default, so that an older or a hand-made survey opens; what is missing there was not looked at.

mod addons;
mod gpu;
pub(crate) mod loading;
mod machine;
mod native;
mod protobuf;
mod provenance;
mod python;
mod questions;
mod requirements;
mod sites;
mod spares;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::capture::{Gaps, Observed};

pub use crate::facts::packages::normal as normal_name;

pub use gpu::{CudaBuild, GpuLibrary, GpuStack, LibraryOrigin};
pub use machine::{FileSystem, Machine, Overcommit, TaskGroup};
pub use native::{
    CpuNeeds, Extension, Link, MissingLibrary, MissingSymbol, MissingVersion, NativeFile, NumpyUse,
    OpenMp, OpenedBefore, Shadowed, Truncation, VectorCode,
};
pub use protobuf::GencodeFault;
pub(crate) use protobuf::IMPLEMENTATION;
pub use provenance::MovedAside;
pub use python::{
    ChangedFile, Distribution, FileList, Gencode, Interpreter, InterpreterKind, PackageTool,
    TensorflowTraits,
};
pub use requirements::Unmet;
#[cfg(test)]
pub(crate) use requirements::requirement::Requirement;

/// Everything that was read of an environment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Survey {
    /// The interpreter.
    pub python: Observed<Interpreter>,
    /// Everything that is installed in its folders of packages, by name.
    pub distributions: Vec<Distribution>,
    /// What interrupted work of pip left behind in those folders: `…/~umpy`, `…/~ensorflow-2.15.0.dist-info`.
    pub leftovers: Vec<String>,
    /// Modules at the top of those folders that can be imported and that no list of an installed package names: `numpy`
    /// whose metadata was removed, or what somebody copied there.
    pub loose_modules: Vec<String>,
    /// Every ELF file in those folders, by path; and what the loader would take from elsewhere before them.
    pub native: Vec<NativeFile>,
    /// What is special to the TensorFlow that is installed; absent where none is.
    pub tensorflow: Observed<TensorflowTraits>,
    /// Environment variables that bear on loading and running, secrets masked.
    pub variables: Observed<BTreeMap<String, String>>,
    /// The machine and its limits.
    pub machine: Machine,
    /// The GPU driver and the GPU's libraries.
    pub gpu: GpuStack,
    /// What could not be looked at.
    pub gaps: Gaps,
}
