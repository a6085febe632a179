//! What a memory control group says, version 1 or 2.

use crashlens_core::MemoryGroup;

use super::control_group::{Group, Level};

/// Version 1 says "no limit" with the largest number of whole pages, which depends on the page size.
pub(crate) const NO_LIMIT: u64 = 1 << 60;

/// The facts of a group as a capture has them.
pub(super) fn read(group: &Group) -> MemoryGroup {
    let own = group.own();
    MemoryGroup {
        version: group.version,
        path: group.path.clone(),
        limit: limit(group),
        usage: usage(&own, group.version),
        peak: peak(&own, group.version),
        oom_kills: oom_kills(group),
        oom_kills_before: None,
    }
}

/// The lowest limit of this level and those above that can be seen.
pub(crate) fn limit(group: &Group) -> Option<u64> {
    // Only the kernel knows whether levels above count in version 1 (`use_hierarchy`), and it also
    // sees those above a container's view.
    let hierarchical = (group.version == 1)
        .then(|| {
            group
                .own()
                .counter("memory.stat", "hierarchical_memory_limit")
        })
        .flatten();
    let limit = hierarchical.or_else(|| {
        let limits = group
            .levels()
            .filter_map(|level| limit_at(&level, group.version));
        limits.min()
    });
    limit.filter(|limit| *limit < NO_LIMIT)
}

/// The limit that one level sets.
pub(crate) fn limit_at(level: &Level, version: u8) -> Option<u64> {
    let file = if version == 1 {
        "memory.limit_in_bytes"
    } else {
        "memory.max"
    };
    level.number(file).filter(|limit| *limit < NO_LIMIT)
}

/// Bytes in use at one level and below it.
pub(crate) fn usage(level: &Level, version: u8) -> Option<u64> {
    level.number(if version == 1 {
        "memory.usage_in_bytes"
    } else {
        "memory.current"
    })
}

/// The most that was in use.
pub(crate) fn peak(level: &Level, version: u8) -> Option<u64> {
    level.number(if version == 1 {
        "memory.max_usage_in_bytes"
    } else {
        "memory.peak"
    })
}

/// How many processes of this group the kernel killed for memory.
pub(crate) fn oom_kills(group: &Group) -> Option<u64> {
    // Kernels before 5.2 have no count without that of the groups below.
    let files: &[&str] = if group.version == 1 {
        &["memory.oom_control"]
    } else {
        &["memory.events.local", "memory.events"]
    };
    files
        .iter()
        .find_map(|file| group.own().counter(file, "oom_kill"))
}
