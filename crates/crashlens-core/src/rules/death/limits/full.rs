//! What the rules about full file systems have in common.

use crate::capture::{Mapping, Place};
use crate::facts::Facts;

/// The lowest number that file systems on disks give to an ordinary file.
const FIRST_ON_DISK: u64 = 11;

/// A page of a mapped file that its file system had no room for.
pub(super) struct NoRoom<'a> {
    pub(super) path: &'a str,
    pub(super) total: u64,
    /// Whether the file system keeps its files in memory.
    pub(super) in_memory: bool,
}

/// The page that could not be had.
pub(super) fn no_room<'a>(facts: &Facts<'a>) -> Option<NoRoom<'a>> {
    let Place::NoSpace {
        mapping,
        total_bytes,
        in_memory,
        ..
    } = facts.place()?
    else {
        return None;
    };
    Some(NoRoom {
        path: mapping.path.as_deref().unwrap_or("a mapped file"),
        total: *total_bytes,
        in_memory: in_memory.unwrap_or_else(|| looks_like_memory(mapping)),
    })
}

/// For captures that do not tell: ext4, XFS and Btrfs keep the first numbers for themselves, tmpfs begins with them.
fn looks_like_memory(mapping: &Mapping) -> bool {
    let path = mapping.path.as_deref().unwrap_or_default();
    ["/dev/shm/", "/run/shm/", "/memfd:"]
        .iter()
        .any(|folder| path.starts_with(folder))
        || (1..FIRST_ON_DISK).contains(&mapping.inode)
}

/// Whether a place is shared memory by its name.
pub(super) fn is_shared_memory(path: &str) -> bool {
    ["/dev/shm", "/run/shm", "/memfd:"]
        .iter()
        .any(|folder| path.starts_with(folder))
}
