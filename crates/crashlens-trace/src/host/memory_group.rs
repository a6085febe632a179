//! The memory control group of a process, version 1 or 2, also where both are mounted.

use std::io;
use std::path::{Path, PathBuf};

use crashlens_core::MemoryGroup;
use procfs_core::FromBufRead;
use procfs_core::ProcessCGroups;
use procfs_core::process::MountInfo;

use crate::bounded;

const MAX_LIST_BYTES: u64 = 4 << 20;
const MAX_VALUE_BYTES: u64 = 64 << 10;
/// Deeper than any real nesting.
const MAX_LEVELS: usize = 64;
/// Version 1 says "no limit" with the largest number of whole pages, which depends on the page size.
const NO_LIMIT: u64 = 1 << 60;

/// Where the files of a memory control group are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GroupFolder {
    version: u8,
    /// As `/proc/PID/cgroup` has it.
    path: String,
    folder: PathBuf,
    mount_point: PathBuf,
}

/// A process's membership: the hierarchy's version and the path in it.
struct Membership {
    version: u8,
    path: String,
}

/// The group that accounts for the memory of `pid`; `None` where nothing does.
pub(super) fn find(root: &Path, pid: u32) -> io::Result<Option<GroupFolder>> {
    let memberships = bounded::read_text(&root.join(format!("proc/{pid}/cgroup")), MAX_LIST_BYTES)?;
    // Ours and not the process's: the files are opened with our own view of the file system.
    let mounts = bounded::read_text(&root.join("proc/self/mountinfo"), MAX_LIST_BYTES)?;
    let mounts: Vec<MountInfo> = mounts
        .lines()
        .filter_map(|line| MountInfo::from_line(line).ok())
        .collect();
    for membership in parse_memberships(&memberships) {
        let Some(mount) = mounts
            .iter()
            .find(|mount| carries_memory(mount, membership.version))
        else {
            continue;
        };
        let mount_point = root.join(
            mount
                .mount_point
                .strip_prefix("/")
                .unwrap_or(&mount.mount_point),
        );
        let Ok(below_mount) = Path::new(&membership.path).strip_prefix(&mount.root) else {
            return Err(io::Error::other(format!(
                "control group {} lies outside what is mounted here",
                membership.path
            )));
        };
        let group = GroupFolder {
            version: membership.version,
            path: membership.path.clone(),
            folder: mount_point.join(below_mount),
            mount_point,
        };
        match group.accounted() {
            Some(accounted) => return Ok(Some(accounted)),
            None if membership.version == 1 => {
                return Err(io::Error::other(format!(
                    "the files of control group {} are not here",
                    membership.path
                )));
            }
            None => {}
        }
    }
    Ok(None)
}

/// Version 1's memory hierarchy first: where both exist, it is the one that has the controller.
fn parse_memberships(text: &str) -> Vec<Membership> {
    let parse_line = |line: &str| ProcessCGroups::from_buf_read(line.as_bytes()).ok()?.0.pop();
    let mut memberships: Vec<Membership> = text
        .lines()
        .filter_map(parse_line)
        .filter_map(|group| {
            let is_memory = group
                .controllers
                .iter()
                .any(|controller| controller == "memory");
            let is_unified = group.hierarchy == 0 && group.controllers.is_empty();
            let version = if is_memory {
                1
            } else if is_unified {
                2
            } else {
                return None;
            };
            Some(Membership {
                version,
                path: group.pathname,
            })
        })
        .collect();
    memberships.sort_by_key(|membership| membership.version);
    memberships
}

fn carries_memory(mount: &MountInfo, version: u8) -> bool {
    match version {
        1 => mount.fs_type == "cgroup" && mount.super_options.contains_key("memory"),
        _ => mount.fs_type == "cgroup2",
    }
}

/// A line `name number`, as in `memory.events` and `/proc/vmstat`.
pub(super) fn counter(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        line.strip_prefix(name)?
            .strip_prefix(' ')?
            .trim()
            .parse()
            .ok()
    })
}

impl GroupFolder {
    /// This folder or the nearest above it with memory accounting: in version 2 the controller may be
    /// switched on for upper levels only. The root group of version 2 never has it. In version 1 every
    /// level has it, and another level's numbers would be somebody else's.
    fn accounted(&self) -> Option<Self> {
        let depth = if self.version == 1 { 1 } else { MAX_LEVELS };
        let folder = self
            .levels()
            .take(depth)
            .find(|level| level.join(self.usage_file()).exists())?
            .to_owned();
        Some(Self {
            folder,
            ..self.clone()
        })
    }

    fn levels(&self) -> impl Iterator<Item = &Path> {
        self.folder
            .ancestors()
            .take_while(|level| level.starts_with(&self.mount_point))
            .take(MAX_LEVELS)
    }

    fn usage_file(&self) -> &'static str {
        if self.version == 1 {
            "memory.usage_in_bytes"
        } else {
            "memory.current"
        }
    }

    fn text(&self, file: &str) -> Option<String> {
        bounded::read_text(&self.folder.join(file), MAX_VALUE_BYTES).ok()
    }

    fn number(&self, file: &str) -> Option<u64> {
        self.text(file)?.trim().parse().ok()
    }

    pub(super) fn read(&self) -> MemoryGroup {
        let peak = if self.version == 1 {
            "memory.max_usage_in_bytes"
        } else {
            "memory.peak"
        };
        MemoryGroup {
            version: self.version,
            path: self.path.clone(),
            limit: self.limit(),
            usage: self.number(self.usage_file()),
            peak: self.number(peak),
            oom_kills: self.oom_kills(),
            oom_kills_before: None,
        }
    }

    /// The lowest limit of this level and those above that can be seen.
    fn limit(&self) -> Option<u64> {
        // Only the kernel knows whether levels above count in version 1 (`use_hierarchy`), and it also
        // sees those above a container's view.
        let hierarchical = (self.version == 1)
            .then(|| counter(&self.text("memory.stat")?, "hierarchical_memory_limit"))
            .flatten();
        let limit = hierarchical.or_else(|| {
            let file = if self.version == 1 {
                "memory.limit_in_bytes"
            } else {
                "memory.max"
            };
            let limit_at = |level: &Path| {
                bounded::read_text(&level.join(file), MAX_VALUE_BYTES)
                    .ok()?
                    .trim()
                    .parse()
                    .ok()
            };
            self.levels().filter_map(limit_at).min()
        });
        limit.filter(|limit| *limit < NO_LIMIT)
    }

    /// How many processes of this group the kernel killed for memory.
    pub(super) fn oom_kills(&self) -> Option<u64> {
        let file = if self.version == 1 {
            "memory.oom_control"
        } else {
            "memory.events"
        };
        counter(&self.text(file)?, "oom_kill")
    }
}
