//! What was around the process, in the report's form: null instead of "could not look".

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::death::value;
use crate::capture::{
    CrashCapture, Environment, Host, Limit, MemoryGroup, OomEvidence, Package, Process,
    PythonRuntime, Tail, Timeline,
};

/// What came with the process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Surroundings {
    /// The interpreter; null for a process without Python.
    pub python: Option<PythonRuntime>,
    /// The executable's path.
    pub executable: Option<String>,
    /// The working directory.
    pub working_directory: Option<String>,
    /// Environment variables on the allow-list, secrets masked.
    pub variables: Option<BTreeMap<String, String>>,
    /// Python packages that are named beside the loaded libraries, as pasted text may.
    #[serde(default)]
    pub packages: Option<Vec<Package>>,
    /// Resource limits.
    pub limits: Option<Vec<Limit>>,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Machine {
    /// Kernel name, release and architecture.
    pub kernel: Option<String>,
    /// Version of the C library the process had loaded.
    pub glibc: Option<String>,
    /// Model name of the processor.
    pub cpu_model: Option<String>,
    /// Processor features as the kernel lists them.
    pub cpu_flags: Option<Vec<String>>,
}

/// Memory of the machine and of the control group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Memory {
    /// Bytes of memory in the machine.
    pub total_bytes: Option<u64>,
    /// Bytes that could still be had.
    pub available_bytes: Option<u64>,
    /// The memory control group of the process.
    pub group: Option<MemoryGroup>,
    /// Memory of the supervised processes over time.
    #[serde(default)]
    pub timeline: Option<Timeline>,
    /// What speaks for and against a kill for lack of memory, where the process was killed.
    #[serde(default)]
    pub oom: Option<OomEvidence>,
}

/// What the program had written last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Words {
    /// The end of its standard error; null when it was not kept.
    pub stderr: Option<Tail>,
}

impl Surroundings {
    pub(super) fn new(process: &Process, environment: &Environment) -> Self {
        Self {
            python: value(&environment.python),
            executable: value(&process.executable),
            working_directory: value(&process.working_directory),
            variables: value(&environment.variables),
            packages: value(&environment.packages),
            limits: value(&environment.limits),
        }
    }
}

impl Machine {
    pub(super) fn new(host: &Host) -> Self {
        Self {
            kernel: value(&host.kernel),
            glibc: value(&host.glibc),
            cpu_model: value(&host.cpu_model),
            cpu_flags: value(&host.cpu_flags),
        }
    }
}

impl Memory {
    pub(super) fn new(capture: &CrashCapture) -> Option<Self> {
        let host = &capture.host;
        let memory = Self {
            total_bytes: value(&host.memory_total),
            available_bytes: value(&host.memory_available),
            group: value(&host.memory_group),
            timeline: value(&capture.circumstances.timeline),
            oom: value(&capture.circumstances.oom),
        };
        let is_known = memory.total_bytes.is_some()
            || memory.available_bytes.is_some()
            || memory.group.is_some()
            || memory.timeline.is_some()
            || memory.oom.is_some();
        is_known.then_some(memory)
    }
}
