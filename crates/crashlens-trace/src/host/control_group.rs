//! Where the control groups of a process are, version 1 or 2, also where both are mounted.
//!
//! Knows folders and levels, not what the numbers in them mean.

use std::io;
use std::path::{Path, PathBuf};

use procfs_core::FromBufRead;
use procfs_core::ProcessCGroups;
use procfs_core::process::MountInfo;

use crashlens_inspect::bounded;

const MAX_LIST_BYTES: u64 = 4 << 20;
const MAX_VALUE_BYTES: u64 = 64 << 10;
/// Deeper than any real nesting.
const MAX_LEVELS: usize = 64;

/// What a group accounts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Controller {
    Memory,
    Pids,
    Cpu,
}

impl Controller {
    /// Its name in version 1.
    fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Pids => "pids",
            Self::Cpu => "cpu",
        }
    }

    /// A file that exists exactly where it accounts.
    fn file(self, version: u8) -> &'static str {
        match (self, version) {
            (Self::Memory, 1) => "memory.usage_in_bytes",
            (Self::Memory, _) => "memory.current",
            (Self::Pids, _) => "pids.current",
            (Self::Cpu, 1) => "cpu.cfs_quota_us",
            (Self::Cpu, _) => "cpu.max",
        }
    }
}

/// A control group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) version: u8,
    /// As `/proc/PID/cgroup` has it.
    pub(crate) path: String,
    folder: PathBuf,
    mount_point: PathBuf,
    /// The group that is mounted there: another than the root group inside containers.
    mounted: PathBuf,
    controller: Controller,
}

/// A process's membership: the hierarchy's version and the path in it.
struct Membership {
    version: u8,
    path: String,
}

/// The text by which the groups of a process are known; it changes when the process is moved.
pub(crate) fn memberships(root: &Path, pid: u32) -> io::Result<String> {
    bounded::read_text(&root.join(format!("proc/{pid}/cgroup")), MAX_LIST_BYTES)
}

/// The group that accounts for `pid`; `None` where nothing does.
pub(crate) fn find(root: &Path, pid: u32, controller: Controller) -> io::Result<Option<Group>> {
    find_among(root, &memberships(root, pid)?, controller)
}

fn find_among(root: &Path, memberships: &str, controller: Controller) -> io::Result<Option<Group>> {
    // Ours and not the process's: the files are opened with our own view of the file system.
    let mounts = bounded::read_text(&root.join("proc/self/mountinfo"), MAX_LIST_BYTES)?;
    let mounts: Vec<MountInfo> = mounts
        .lines()
        .filter_map(|line| MountInfo::from_line(line).ok())
        .collect();
    for membership in parse_memberships(memberships, controller) {
        let Some(mount) = mounts
            .iter()
            .find(|mount| carries(mount, membership.version, controller))
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
        let group = Group {
            version: membership.version,
            path: membership.path.clone(),
            folder: mount_point.join(below_mount),
            mount_point,
            mounted: PathBuf::from(&mount.root),
            controller,
        };
        match group.accounted() {
            Some(accounted) => return Ok(Some(accounted)),
            // The root group of version 1 counts no processes.
            None if membership.version == 1 && controller == Controller::Memory => {
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

/// Version 1's hierarchy first: where both exist, it is the one that has the controller.
fn parse_memberships(text: &str, controller: Controller) -> Vec<Membership> {
    let parse_line = |line: &str| ProcessCGroups::from_buf_read(line.as_bytes()).ok()?.0.pop();
    let mut memberships: Vec<Membership> = text
        .lines()
        .filter_map(parse_line)
        .filter_map(|group| {
            let is_wanted = group
                .controllers
                .iter()
                .any(|name| name == controller.name());
            let is_unified = group.hierarchy == 0 && group.controllers.is_empty();
            let version = if is_wanted {
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

fn carries(mount: &MountInfo, version: u8, controller: Controller) -> bool {
    match version {
        1 => mount.fs_type == "cgroup" && mount.super_options.contains_key(controller.name()),
        _ => mount.fs_type == "cgroup2",
    }
}

/// A line `name number`, as in `memory.events` and `/proc/vmstat`.
pub(crate) fn counter(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        line.strip_prefix(name)?
            .strip_prefix(' ')?
            .trim()
            .parse()
            .ok()
    })
}

impl Group {
    /// This folder or the nearest above it with accounting: in version 2 the controller may be switched on
    /// for upper levels only. The root group of version 2 never has it. In version 1 every level has it,
    /// and another level's numbers would be somebody else's.
    fn accounted(&self) -> Option<Self> {
        let depth = if self.version == 1 { 1 } else { MAX_LEVELS };
        let file = self.controller.file(self.version);
        let folder = self
            .folders()
            .take(depth)
            .find(|level| level.join(file).exists())?
            .to_owned();
        Some(Self {
            folder,
            ..self.clone()
        })
    }

    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folder
            .ancestors()
            .take_while(|level| level.starts_with(&self.mount_point))
            .take(MAX_LEVELS)
    }

    /// This group and those above it that can be seen, nearest first.
    pub(crate) fn levels(&self) -> impl Iterator<Item = Level> {
        self.folders().map(|folder| Level {
            path: self.path_of(folder),
            folder: folder.to_owned(),
        })
    }

    /// A folder's path as `/proc/PID/cgroup` would have it.
    fn path_of(&self, folder: &Path) -> String {
        let below = folder.strip_prefix(&self.mount_point).unwrap_or(folder);
        // Without a slash at the end, which `join` gives for nothing.
        let path: PathBuf = self.mounted.join(below).components().collect();
        path.display().to_string()
    }

    /// The group itself as a level.
    pub(crate) fn own(&self) -> Level {
        Level {
            path: self.path.clone(),
            folder: self.folder.clone(),
        }
    }

    /// The file that says how much is in use.
    pub(crate) fn usage_file(&self) -> PathBuf {
        self.folder.join(self.controller.file(self.version))
    }
}

/// One level of a hierarchy of control groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Level {
    /// As `/proc/PID/cgroup` would have it.
    pub(crate) path: String,
    folder: PathBuf,
}

impl Level {
    pub(crate) fn text(&self, file: &str) -> Option<String> {
        bounded::read_text(&self.folder.join(file), MAX_VALUE_BYTES).ok()
    }

    /// A file with one number; `None` also for the word `max`.
    pub(crate) fn number(&self, file: &str) -> Option<u64> {
        self.text(file)?.trim().parse().ok()
    }

    /// A line `name number` of a file.
    pub(crate) fn counter(&self, file: &str, name: &str) -> Option<u64> {
        counter(&self.text(file)?, name)
    }
}
