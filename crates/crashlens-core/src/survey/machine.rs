//! The machine, its limits, and those of the container.

use serde::{Deserialize, Serialize};

use crate::capture::{Limit, MemoryGroup, Observed};

/// The machine, as a program started here and now would meet it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Machine {
    /// `Linux 6.1.0-18-amd64 x86_64`.
    pub kernel: Observed<String>,
    /// `x86-64`, `aarch64`: of the kernel.
    pub architecture: Observed<String>,
    /// `2.36`: of the C library that the loader finds.
    pub glibc: Observed<String>,
    /// Model name of the processor.
    pub cpu_model: Observed<String>,
    /// Processor features as the kernel lists them.
    pub cpu_flags: Observed<Vec<String>>,
    /// Processors that a program may run on: what TensorFlow counts its threads by.
    pub cores: Observed<u64>,
    /// Processor time that the control group gives, in thousandths of a processor; absent without a limit.
    pub cpu_quota: Observed<u64>,
    /// What emulates the processor, where something does: `qemu-user`, `Rosetta`.
    pub emulated_by: Observed<String>,
    /// Bytes of memory.
    pub memory_total: Observed<u64>,
    /// Bytes that could still be had.
    pub memory_available: Observed<u64>,
    /// The memory control group.
    pub memory_group: Observed<MemoryGroup>,
    /// The control group that counts tasks.
    pub task_group: Observed<TaskGroup>,
    /// Tasks of this user, which `RLIMIT_NPROC` counts; absent for root, who is not held to it.
    pub user_tasks: Observed<u64>,
    /// Resource limits of this process, which a program started from here inherits.
    pub limits: Observed<Vec<Limit>>,
    /// `/dev/shm`.
    pub shared_memory: Observed<FileSystem>,
    /// How much memory the kernel promises.
    pub overcommit: Observed<Overcommit>,
    /// `docker`, `podman`, `kubernetes`, …; absent outside a container.
    pub container: Observed<String>,
    /// Whether this is the Windows Subsystem for Linux.
    pub wsl: Observed<bool>,
}

/// A control group that counts tasks (processes and threads).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TaskGroup {
    /// Most tasks, of the level among this and those above that leaves the least room; `None` without a limit.
    pub limit: Option<u64>,
    /// Tasks on that level now.
    pub current: Option<u64>,
}

/// A file system.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileSystem {
    /// Where it is mounted.
    pub path: String,
    /// Bytes in all.
    pub size: u64,
    /// Bytes that an ordinary user may still write.
    pub free: u64,
}

/// How much memory the kernel promises.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Overcommit {
    /// `vm.overcommit_memory`: 2 means that no more is promised than there is.
    pub mode: u64,
    /// Bytes that may be promised with mode 2.
    pub limit: Option<u64>,
    /// Bytes that are promised.
    pub committed: Option<u64>,
}
