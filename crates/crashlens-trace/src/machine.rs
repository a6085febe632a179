//! The machine as a program started here and now would meet it: its limits, its control groups, its container.
//!
//! States what is there, below a root folder that is `/` outside tests. What a program needs of it is judged elsewhere.

mod kind;

use std::io;
use std::path::Path;

use crashlens_core::survey::{FileSystem, Machine, Overcommit, TaskGroup};
use crashlens_core::{Gaps, Limit, Observed};

use crate::host::control_group::{self, Controller, Group, Level};
use crate::host::{self, MAX_CPU_BYTES, MAX_MEMINFO_BYTES, present};
use crashlens_inspect::bounded;

use crate::{procfs, resources};

const MAX_BYTES: u64 = 64 << 10;

/// Where the C library is, on the systems that Python wheels for Linux are made for.
const C_LIBRARIES: [&str; 8] = [
    "lib/x86_64-linux-gnu/libc.so.6",
    "lib/aarch64-linux-gnu/libc.so.6",
    "usr/lib/x86_64-linux-gnu/libc.so.6",
    "usr/lib/aarch64-linux-gnu/libc.so.6",
    "lib64/libc.so.6",
    "usr/lib64/libc.so.6",
    "lib/libc.so.6",
    "usr/lib/libc.so.6",
];

/// The machine, its limits and those of the container around this process.
pub fn machine(gaps: &mut Gaps) -> Machine {
    read(Path::new("/"), std::process::id(), gaps)
}

fn read(root: &Path, pid: u32, gaps: &mut Gaps) -> Machine {
    // The gap of a C library that this program was not linked with would only confuse.
    let mut host = host::read_host(root, pid, gaps);
    if host.glibc.known().is_none() {
        host.glibc = present(
            gaps,
            "version of the C library",
            Ok::<_, io::Error>(glibc(root)),
        );
    }
    let home = root.join(format!("proc/{pid}"));
    let status = bounded::read_text(&home.join("status"), MAX_BYTES);
    let threads = |text: &String| procfs::field(text, "Threads")?.parse().ok();
    let own: u64 = status.as_ref().ok().and_then(threads).unwrap_or(0);
    let limits = bounded::read_text(&home.join("limits"), MAX_BYTES);
    let limits = gaps.observe(
        "resource limits",
        limits.map(|it| procfs::parse_limits(&it)),
    );
    let cpu = bounded::read_text(&root.join("proc/cpuinfo"), MAX_CPU_BYTES);
    let architecture = host.kernel.known().and_then(|kernel| architecture(kernel));
    Machine {
        architecture: architecture.map_or_else(Observed::default, Observed::Known),
        cores: present(
            gaps,
            "processors that may be used",
            status.map(|text| procfs::field(&text, "Cpus_allowed_list").and_then(count_of)),
        ),
        cpu_quota: present(gaps, "processor control group", quota(root, pid)),
        emulated_by: present(
            gaps,
            "processor",
            cpu.map(|text| kind::emulated_by(root, &text, std::env::consts::ARCH)),
        ),
        task_group: present(gaps, "control group of tasks", task_group(root, pid, own)),
        user_tasks: user_tasks(root, pid, own, &limits, gaps),
        shared_memory: present(gaps, "/dev/shm", shared_memory(root)),
        overcommit: present(gaps, "promises of memory", overcommit(root)),
        container: present(
            gaps,
            "container",
            Ok::<_, io::Error>(kind::container(root, pid)),
        ),
        wsl: gaps.observe("kernel release", kind::is_wsl(root)),
        limits,
        kernel: host.kernel,
        glibc: host.glibc,
        cpu_model: host.cpu_model,
        cpu_flags: host.cpu_flags,
        memory_total: host.memory_total,
        memory_available: host.memory_available,
        memory_group: host.memory_group,
    }
}

/// `x86-64` of `Linux 6.1.0 x86_64`, as ELF names it.
fn architecture(kernel: &str) -> Option<String> {
    let machine = kernel.split(' ').nth(2)?;
    Some(machine.replace("x86_64", "x86-64"))
}

fn glibc(root: &Path) -> Option<String> {
    let read = |path| bounded::read(&root.join(path), host::MAX_C_LIBRARY_BYTES).ok();
    C_LIBRARIES
        .into_iter()
        .find_map(|path| host::banner_version(&read(path)?))
}

/// How many numbers a list such as `0-3,8` has.
fn count_of(list: &str) -> Option<u64> {
    let count = |range: &str| {
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let (low, high): (u64, u64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        high.checked_sub(low)?.checked_add(1)
    };
    let mut ranges = list.split(',').map(count);
    ranges.try_fold(0_u64, |sum, range| sum.checked_add(range?))
}

/// The least processor time that any level gives, in thousandths of a processor; `None` where none limits it.
fn quota(root: &Path, pid: u32) -> io::Result<Option<u64>> {
    let Some(group) = control_group::find(root, pid, Controller::Cpu)? else {
        return Ok(None);
    };
    let levels = group.levels();
    Ok(levels.filter_map(|it| quota_at(&it, group.version)).min())
}

fn quota_at(level: &Level, version: u8) -> Option<u64> {
    let (quota, period): (u64, u64) = if version == 1 {
        (
            level.number("cpu.cfs_quota_us")?,
            level.number("cpu.cfs_period_us")?,
        )
    } else {
        let text = level.text("cpu.max")?;
        let (quota, period) = text.trim().split_once(' ')?;
        (quota.parse().ok()?, period.parse().ok()?)
    };
    quota.checked_mul(1000)?.checked_div(period)
}

/// The level that leaves the least room; the `own` threads of this process will be gone when another is started.
fn task_group(root: &Path, pid: u32, own: u64) -> io::Result<Option<TaskGroup>> {
    let Some(group) = control_group::find(root, pid, Controller::Pids)? else {
        return Ok(None);
    };
    Ok(Some(narrowest(&group, own)))
}

fn narrowest(group: &Group, own: u64) -> TaskGroup {
    let at = |level: Level| TaskGroup {
        limit: level.number("pids.max"),
        current: level
            .number("pids.current")
            .map(|tasks| tasks.saturating_sub(own)),
    };
    let room = |it: &TaskGroup| Some(it.limit?.saturating_sub(it.current.unwrap_or(0)));
    let limited = group.levels().map(at).filter(|it| it.limit.is_some());
    limited.min_by_key(room).unwrap_or_else(|| at(group.own()))
}

fn user_tasks(
    root: &Path,
    pid: u32,
    own: u64,
    limits: &Observed<Vec<Limit>>,
    gaps: &mut Gaps,
) -> Observed<u64> {
    let limits = match limits {
        Observed::Known(limits) => limits,
        Observed::Absent => return Observed::Absent,
        Observed::Unknown(gap) => return Observed::Unknown(*gap),
    };
    let soft = limits.iter().find(|it| it.name == "Max processes");
    match soft.and_then(|limit| limit.soft) {
        Some(limit) => {
            let tasks = resources::tasks_of_user(root, pid, limit);
            let others = tasks.map(|tasks| tasks.map(|it| it.saturating_sub(own)));
            present(gaps, "tasks of this user", others)
        }
        None => Observed::Absent,
    }
}

fn shared_memory(root: &Path) -> io::Result<Option<FileSystem>> {
    let path = root.join("dev/shm");
    if !path.is_dir() {
        return Ok(None);
    }
    let found = resources::file_system(&path)?;
    Ok(found.map(|(size, free)| FileSystem {
        path: "/dev/shm".to_owned(),
        size,
        free,
    }))
}

fn overcommit(root: &Path) -> io::Result<Option<Overcommit>> {
    let mode = bounded::read_text(&root.join("proc/sys/vm/overcommit_memory"), MAX_BYTES)?;
    let memory = bounded::read_text(&root.join("proc/meminfo"), MAX_MEMINFO_BYTES)?;
    Ok(mode.trim().parse().ok().map(|mode| Overcommit {
        mode,
        limit: host::bytes_of(&memory, "CommitLimit"),
        committed: host::bytes_of(&memory, "Committed_AS"),
    }))
}

#[cfg(test)]
mod tests;
