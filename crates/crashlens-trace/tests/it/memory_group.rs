//! A memory control group of the test's own, where the machine allows to make one.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A control group that is removed in the end.
pub(crate) struct MemoryGroup {
    folder: PathBuf,
}

impl MemoryGroup {
    /// A group with this limit; `None` without the right to make one.
    pub(crate) fn with_limit(bytes: u64) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("crashlens-test-{}-{number}", std::process::id());
        let version_1 = Path::new("/sys/fs/cgroup/memory");
        let (parent, file) = if version_1.join("memory.limit_in_bytes").exists() {
            (version_1, "memory.limit_in_bytes")
        } else {
            (Path::new("/sys/fs/cgroup"), "memory.max")
        };
        let folder = parent.join(name);
        std::fs::create_dir(&folder).ok()?;
        let group = Self { folder };
        std::fs::write(group.folder.join(file), bytes.to_string()).ok()?;
        Some(group)
    }

    /// The file to which a process writes its id to belong to the group.
    pub(crate) fn members(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }

    /// Its path as the kernel names it.
    pub(crate) fn path(&self) -> String {
        format!("/{}", self.folder.file_name().unwrap().to_str().unwrap())
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // A process that was reaped may still be listed for a moment.
        for _ in 0..1000 {
            if std::fs::remove_dir(&self.folder).is_ok() {
                return;
            }
            std::thread::yield_now();
        }
    }
}
