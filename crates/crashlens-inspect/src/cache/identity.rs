//! Which file it is, and in which state.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Two writes within the finest step of a file system's clock leave one time; no clock in use is coarser than this.
const COARSEST_CLOCK: Duration = Duration::from_secs(2);

/// A file in one state. The time of the last change of its inode is part of it: whoever copies with times preserved, or
/// writes in place and sets the time back, cannot set that one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    pub(crate) modified: (i64, i64),
    pub(crate) changed: (i64, i64),
}

impl Identity {
    /// The identity that an open file has now.
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether a later change would show in its times. A time in the future is not to be trusted.
    pub(crate) fn is_settled(&self) -> bool {
        let seconds = u64::try_from(self.changed.0.max(self.modified.0)).unwrap_or(0);
        let last = UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
        last.and_then(|last| SystemTime::now().duration_since(last).ok())
            .is_some_and(|age| age > COARSEST_CLOCK)
    }
}
