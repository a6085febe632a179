//! The machine and the control group around the process.

use serde::{Deserialize, Serialize};

use super::Observed;

/// The machine, as seen when the process died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The operating system.
    #[serde(default)]
    pub system: Observed<System>,
    /// `Linux 6.1.0-18-amd64 x86_64`.
    pub kernel: Observed<String>,
    /// `2.36`: of the C library the process had loaded.
    pub glibc: Observed<String>,
    /// Model name of the processor.
    pub cpu_model: Observed<String>,
    /// Processor features as the kernel lists them.
    pub cpu_flags: Observed<Vec<String>>,
    /// Bytes of memory in the machine.
    pub memory_total: Observed<u64>,
    /// Bytes that could still be had.
    pub memory_available: Observed<u64>,
    /// The memory control group of the process.
    pub memory_group: Observed<MemoryGroup>,
}

word_enum! {
    /// An operating system. Processes and core dumps are of Linux; only text can be of another.
    pub enum System {
        /// Linux, also in a container or below Windows.
        Linux,
        /// macOS.
        Macos,
        /// Windows.
        Windows,
    }
}

/// A memory control group, version 1 or 2.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryGroup {
    /// 1 or 2.
    pub version: u8,
    /// Its path below the control group mount.
    pub path: String,
    /// Limit in bytes, the lowest of this level and those above; `None` without a limit.
    pub limit: Option<u64>,
    /// Bytes in use.
    pub usage: Option<u64>,
    /// Highest use seen.
    pub peak: Option<u64>,
    /// Processes the kernel killed for memory in this group, since the group exists.
    pub oom_kills: Option<u64>,
    /// The same count when supervision began.
    pub oom_kills_before: Option<u64>,
}

/// One resource limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limit {
    /// Name as in `/proc/PID/limits`: `Max stack size`.
    pub name: String,
    /// Soft limit; `None` for unlimited.
    pub soft: Option<u64>,
    /// Hard limit; `None` for unlimited.
    pub hard: Option<u64>,
}
