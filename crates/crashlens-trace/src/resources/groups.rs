//! Limits of control groups, on every level that can be seen.

use std::collections::BTreeMap;
use std::path::Path;

use crashlens_core::{Limiter, Resource, ResourceUse};

use crate::host::control_group::{self, Controller, Group, Level};
use crate::host::memory_group;

/// The levels of a run are few; a program that moves through thousands of groups is not followed further.
const MAX_ENTRIES: usize = 4096;

/// How often limits had been met when a group was first seen, and how often the kernel had killed there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Baseline {
    met: BTreeMap<(Resource, Limiter), u64>,
    oom_kills: BTreeMap<String, u64>,
}

impl Baseline {
    /// Notes the counters around a process; those that are known stay as they are.
    pub(crate) fn note(&mut self, root: &Path, pid: u32) {
        if let Some(group) = group_of(root, pid, Controller::Memory)
            && let Some(kills) = memory_group::oom_kills(&group)
            && self.oom_kills.len() < MAX_ENTRIES
        {
            self.oom_kills.entry(group.path.clone()).or_insert(kills);
        }
        for (entry, count) in entries(root, pid) {
            if let Some(count) = count
                && self.met.len() < MAX_ENTRIES
            {
                let key = (entry.resource, entry.set_by);
                self.met.entry(key).or_insert(count);
            }
        }
    }

    /// Kills for memory in the group `path` before.
    pub(crate) fn oom_kills(&self, path: &str) -> Option<u64> {
        self.oom_kills.get(path).copied()
    }
}

/// What the groups of a process had in use of their limits.
pub(crate) fn uses(root: &Path, pid: u32, before: &Baseline) -> Vec<ResourceUse> {
    let with_count = |(mut entry, count): (ResourceUse, Option<u64>)| {
        let key = (entry.resource, entry.set_by.clone());
        entry.met = count
            .zip(before.met.get(&key))
            .map(|(now, then)| now.saturating_sub(*then));
        entry
    };
    entries(root, pid).into_iter().map(with_count).collect()
}

/// Every limit with its use, and how often it was met since the group exists.
fn entries(root: &Path, pid: u32) -> Vec<(ResourceUse, Option<u64>)> {
    let mut entries = Vec::new();
    if let Some(group) = group_of(root, pid, Controller::Memory) {
        for level in group.levels() {
            entries.extend(memory_entries(&level, group.version));
        }
    }
    if let Some(group) = group_of(root, pid, Controller::Pids) {
        entries.extend(group.levels().filter_map(|level| threads_entry(&level)));
    }
    entries
}

fn group_of(root: &Path, pid: u32, controller: Controller) -> Option<Group> {
    control_group::find(root, pid, controller).ok().flatten()
}

/// The files of one limit.
struct Files {
    resource: Resource,
    limit: &'static str,
    used: &'static str,
    peak: &'static str,
    /// The file that counts, and the line in it where it has several.
    met: (&'static str, Option<&'static str>),
}

const VERSION_1: [Files; 2] = [
    Files {
        resource: Resource::Memory,
        limit: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        peak: "memory.max_usage_in_bytes",
        met: ("memory.failcnt", None),
    },
    Files {
        resource: Resource::MemoryAndSwap,
        limit: "memory.memsw.limit_in_bytes",
        used: "memory.memsw.usage_in_bytes",
        peak: "memory.memsw.max_usage_in_bytes",
        met: ("memory.memsw.failcnt", None),
    },
];

// `memory.events` counts what happened on levels below, too; only the local file tells whose limit it was.
const VERSION_2: [Files; 3] = [
    Files {
        resource: Resource::Memory,
        limit: "memory.max",
        used: "memory.current",
        peak: "memory.peak",
        met: ("memory.events.local", Some("max")),
    },
    Files {
        resource: Resource::MemoryHigh,
        limit: "memory.high",
        used: "memory.current",
        peak: "memory.peak",
        met: ("memory.events.local", Some("high")),
    },
    Files {
        resource: Resource::Swap,
        limit: "memory.swap.max",
        used: "memory.swap.current",
        peak: "memory.swap.peak",
        met: ("memory.swap.events", Some("max")),
    },
];

fn memory_entries(level: &Level, version: u8) -> Vec<(ResourceUse, Option<u64>)> {
    let table: &[Files] = if version == 1 { &VERSION_1 } else { &VERSION_2 };
    let entry = |files: &Files| {
        let limit = level.number(files.limit);
        let limit = limit.filter(|limit| *limit < memory_group::NO_LIMIT)?;
        Some(entry(level, files, limit))
    };
    table.iter().filter_map(entry).collect()
}

fn threads_entry(level: &Level) -> Option<(ResourceUse, Option<u64>)> {
    let files = Files {
        resource: Resource::Threads,
        limit: "pids.max",
        used: "pids.current",
        peak: "pids.peak",
        met: ("pids.events", Some("max")),
    };
    let limit = level.number(files.limit)?;
    Some(entry(level, &files, limit))
}

fn entry(level: &Level, files: &Files, limit: u64) -> (ResourceUse, Option<u64>) {
    let entry = ResourceUse {
        resource: files.resource,
        set_by: Limiter::Path(level.path.clone()),
        used: level.number(files.used),
        peak: level.number(files.peak),
        limit: Some(limit),
        met: None,
    };
    let count = match files.met {
        (file, None) => level.number(file),
        (file, Some(line)) => level.counter(file, line),
    };
    (entry, count)
}

#[cfg(test)]
mod tests;
