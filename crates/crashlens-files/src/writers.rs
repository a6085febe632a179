//! Who has files open for writing right now, as far as `/proc` shows it to us.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// So many processes and so many files of each are looked at.
const MOST_PROCESSES: usize = 20_000;
const MOST_FILES: usize = 10_000;

/// The files that other processes have open for writing, by device and inode.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writers {
    files: HashMap<(u64, u64), String>,
}

impl Writers {
    /// Looks at every process that may be looked at.
    pub(crate) fn now() -> Self {
        let mut writers = Self::default();
        let own = std::process::id().to_string();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        for process in processes.take(MOST_PROCESSES) {
            let name = process.file_name();
            let Some(pid) = name
                .to_str()
                .filter(|pid| pid.bytes().all(|it| it.is_ascii_digit()))
            else {
                continue;
            };
            if pid != own {
                writers.add(&process.path(), pid);
            }
        }
        writers
    }

    /// Who writes the file, in words: `process 4242 (python3)`.
    pub(crate) fn of(&self, device: u64, inode: u64) -> Option<&str> {
        self.files.get(&(device, inode)).map(String::as_str)
    }

    fn add(&mut self, process: &Path, pid: &str) {
        let files = fs::read_dir(process.join("fd"))
            .into_iter()
            .flatten()
            .flatten();
        for file in files.take(MOST_FILES) {
            let Ok(metadata) = fs::metadata(file.path()) else {
                continue;
            };
            if metadata.is_file() && is_writable(&process.join("fdinfo").join(file.file_name())) {
                let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
                let who = format!("process {pid} ({})", name.trim());
                self.files.insert((metadata.dev(), metadata.ino()), who);
            }
        }
    }
}

/// By the flags that it was opened with.
fn is_writable(description: &Path) -> bool {
    let text = fs::read_to_string(description).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| i32::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| matches!(flags & libc::O_ACCMODE, libc::O_WRONLY | libc::O_RDWR))
}
