//! Room in the file systems that a process writes to, as the process sees them.

use std::io;
use std::path::Path;
use std::sync::mpsc::Sender;

use crashlens_core::{Limiter, Resource, ResourceUse};
use nix::sys::statvfs::{Statvfs, statvfs};

use crate::enquiry::{Enquiry, Line};

static LINE: Line = Line::new();

/// A question to file systems that is under way.
pub(super) struct Survey(Enquiry<ResourceUse>);

impl Survey {
    pub(super) fn start(
        pid: u32,
        working_directory: Option<&str>,
        temporary: Option<&str>,
    ) -> Self {
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
        let survey = move |answers: &Sender<ResourceUse>| {
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
                    if answers.send(entry).is_err() {
                        return;
                    }
                }
            }
        };
        Self(LINE.ask(survey))
    }

    /// The answers that came in time.
    pub(super) fn finish(self) -> Vec<ResourceUse> {
        self.0.answers().collect()
    }
}

/// Size and room of the file system at `path`; `None` for one without a size of its own. Only for paths that nothing
/// remote can be mounted at: this waits.
pub(crate) fn file_system(path: &Path) -> io::Result<Option<(u64, u64)>> {
    let found = statvfs(path)?;
    let entry = entry(Resource::SharedMemory, String::new(), &found);
    let size_and_room = |entry: ResourceUse| {
        let size = entry.limit?;
        Some((size, size.saturating_sub(entry.used?)))
    };
    Ok(entry.and_then(size_and_room))
}

/// Blocks that are kept for root count as used: the program could not have them.
fn entry(resource: Resource, path: String, found: &Statvfs) -> Option<ResourceUse> {
    let total = found.blocks().checked_mul(found.fragment_size())?;
    let available = found
        .blocks_available()
        .checked_mul(found.fragment_size())?;
    // File systems without a size of their own, such as `/proc`, say 0.
    (total > 0).then_some(ResourceUse {
        resource,
        set_by: Limiter::Path(path),
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
    fn only_a_living_process_has_file_systems_with_a_size() {
        let uses = Survey::start(std::process::id(), Some("/here"), None).finish();
        let disk = uses.iter().find(|entry| entry.set_by.as_str() == "/here");
        let disk = disk.expect("the working directory is on a disk");
        assert!(disk.limit > Some(0) && disk.used <= disk.limit);

        let gone = Survey::start(u32::MAX, None, Some("/tmp"));
        assert!(gone.finish().is_empty());
    }
}
