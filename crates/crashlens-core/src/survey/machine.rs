//! The machine, its limits, and those of the container.

use serde::{Deserialize, Serialize};

use crate::capture::{
    CrashCapture, Gaps, Limit, Limiter, MemoryGroup, Observed, Resource, ResourceUse, Rlimit,
};

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
    /// Tasks of this user, which `RLIMIT_NPROC` counts, without those of the process that asks; absent for root, who is
    /// not held to it, and where the limit is so high that nobody counts.
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
    /// Tasks on that level now, without those of the process that asks.
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

impl Machine {
    /// The machine as a process met it that has died: what its capture has of limits and surroundings. Gaps of the
    /// capture that are pointed to are added to `gaps`. Tasks are counted without those of the process itself, as they
    /// are for one that is still to be started.
    pub fn of_death(capture: &CrashCapture, gaps: &mut Gaps) -> Self {
        let mut gaps = Moved {
            from: &capture.gaps,
            to: gaps,
        };
        let host = &capture.host;
        let kernel: Observed<String> = gaps.take(&host.kernel);
        // Older captures have only the first two words.
        let machine = kernel.known().and_then(|it| it.split(' ').nth(2));
        let architecture = machine.map(|it| it.replace("x86_64", "x86-64"));
        let resources = gaps.take(&capture.circumstances.resources);
        Self {
            architecture: architecture.map_or_else(Observed::default, Observed::Known),
            glibc: gaps.take(&host.glibc),
            cpu_model: gaps.take(&host.cpu_model),
            cpu_flags: gaps.take(&host.cpu_flags),
            memory_total: gaps.take(&host.memory_total),
            memory_available: gaps.take(&host.memory_available),
            memory_group: gaps.take(&host.memory_group),
            limits: gaps.take(&capture.environment.limits),
            shared_memory: derived(&resources, shared_memory),
            task_group: derived(&resources, |uses| task_group(uses, capture.threads.len())),
            user_tasks: derived(&resources, |uses| user_tasks(uses, capture.threads.len())),
            kernel,
            ..Self::default()
        }
    }
}

/// Facts of a capture whose gaps get new numbers.
struct Moved<'a> {
    from: &'a Gaps,
    to: &'a mut Gaps,
}

impl Moved<'_> {
    fn take<T: Clone>(&mut self, observed: &Observed<T>) -> Observed<T> {
        let Observed::Unknown(id) = observed else {
            return observed.clone();
        };
        let Some(gap) = self.from.0.get(id.0) else {
            return Observed::default();
        };
        let (part, reason) = (gap.part.clone(), gap.reason.clone());
        Observed::Unknown(self.to.add(part, reason, gap.remedy.as_deref()))
    }
}

/// What is made of the resources; `Absent` where they are known and have no such entry.
fn derived<T>(
    resources: &Observed<Vec<ResourceUse>>,
    make: impl Fn(&[ResourceUse]) -> Option<T>,
) -> Observed<T> {
    match resources {
        Observed::Known(uses) => make(uses).map_or(Observed::Absent, Observed::Known),
        Observed::Absent => Observed::Absent,
        Observed::Unknown(gap) => Observed::Unknown(*gap),
    }
}

fn shared_memory(uses: &[ResourceUse]) -> Option<FileSystem> {
    let is_shared = |it: &&ResourceUse| it.resource == Resource::SharedMemory;
    let found = uses.iter().find(is_shared)?;
    let size = found.limit?;
    Some(FileSystem {
        path: found.set_by.to_string(),
        size,
        free: size.saturating_sub(found.used?),
    })
}

/// The level that left the least room.
fn task_group(uses: &[ResourceUse], own: usize) -> Option<TaskGroup> {
    let threads = uses
        .iter()
        .filter(|it| it.resource == Resource::Threads && it.set_by.is_path());
    let group = |it: &ResourceUse| TaskGroup {
        limit: it.limit,
        current: it.used.map(|used| used.saturating_sub(own as u64)),
    };
    threads
        .map(group)
        .min_by_key(|it| Some(it.limit?.saturating_sub(it.current.unwrap_or(0))))
}

fn user_tasks(uses: &[ResourceUse], own: usize) -> Option<u64> {
    let mut threads = uses.iter().filter(|it| it.resource == Resource::Threads);
    let of_user = threads.find(|it| it.set_by == Limiter::Process(Rlimit::Nproc))?;
    Some(of_user.used?.saturating_sub(own as u64))
}

#[cfg(test)]
mod tests;
