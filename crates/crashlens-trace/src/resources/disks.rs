//! Room in the file systems that a process writes to, as the process sees them.
//!
//! A file system behind a network that does not answer would hold us for ever, and with us the process that
//! we hold. So it is asked from a thread of its own, which is waited for only so long.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crashlens_core::{Resource, ResourceUse};
use nix::sys::statvfs::{Statvfs, statvfs};

const PATIENCE: Duration = Duration::from_millis(150);

/// A question to file systems that is under way.
pub(super) struct Survey {
    answers: Receiver<ResourceUse>,
    deadline: Instant,
}

impl Survey {
    pub(super) fn start(
        pid: u32,
        working_directory: Option<&str>,
        temporary: Option<&str>,
    ) -> Self {
        let (sender, answers) = channel();
        let temporary = temporary.unwrap_or("/tmp");
        let root = format!("/proc/{pid}/root");
        let places = [
            (
                Resource::SharedMemory,
                "/dev/shm".to_owned(),
                format!("{root}/dev/shm"),
            ),
            (
                Resource::Disk,
                working_directory.unwrap_or("working directory").to_owned(),
                format!("/proc/{pid}/cwd"),
            ),
            (
                Resource::Disk,
                temporary.to_owned(),
                format!("{root}/{}", temporary.trim_start_matches('/')),
            ),
        ];
        let survey = move || {
            let mut known = Vec::new();
            for (resource, name, path) in places {
                let Ok(found) = statvfs(Path::new(&path)) else {
                    continue;
                };
                // The same file system is told once.
                let identity = (
                    found.filesystem_id(),
                    found.blocks(),
                    found.blocks_available(),
                );
                if let Some(entry) = entry(resource, name, &found)
                    && !known.contains(&identity)
                {
                    known.push(identity);
                    if sender.send(entry).is_err() {
                        return;
                    }
                }
            }
        };
        // Where no thread can be made, as at a limit of threads, nothing is said of file systems.
        let _ = std::thread::Builder::new()
            .stack_size(128 << 10)
            .spawn(survey);
        Self {
            answers,
            deadline: Instant::now() + PATIENCE,
        }
    }

    /// The answers that came in time.
    pub(super) fn finish(self) -> Vec<ResourceUse> {
        let next = || {
            let left = self.deadline.saturating_duration_since(Instant::now());
            self.answers.recv_timeout(left).ok()
        };
        std::iter::from_fn(next).collect()
    }
}

/// Blocks that are kept for root count as used: the program could not have them.
fn entry(resource: Resource, set_by: String, found: &Statvfs) -> Option<ResourceUse> {
    let total = found.blocks().checked_mul(found.fragment_size())?;
    let available = found
        .blocks_available()
        .checked_mul(found.fragment_size())?;
    // File systems without a size of their own, such as `/proc`, say 0.
    (total > 0).then_some(ResourceUse {
        resource,
        set_by,
        used: Some(total.saturating_sub(available)),
        peak: None,
        limit: Some(total),
        met: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_file_systems_have_a_size() {
        let uses = Survey::start(std::process::id(), Some("/here"), None).finish();
        let disk = uses.iter().find(|entry| entry.set_by == "/here");
        let disk = disk.expect("the working directory is on a disk");
        assert!(disk.limit > Some(0) && disk.used <= disk.limit);
    }

    #[test]
    fn a_process_that_is_gone_has_none() {
        assert!(
            Survey::start(u32::MAX, None, Some("/tmp"))
                .finish()
                .is_empty()
        );
    }
}
