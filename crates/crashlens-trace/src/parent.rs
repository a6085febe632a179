//! What the parent of a dying process was doing, read without stopping it.
//!
//! To interrupt a process that nothing is wrong with could disturb its system calls. Its memory is read while it runs,
//! twice, and what was the same both times is kept.

use std::time::{Duration, Instant};

use crashlens_core::{Parent, PythonFrame};
use crashlens_unwind::{ReadMemory, Unreadable, glance, steady};

use crate::live_files::LiveFiles;
use crate::live_memory::LiveMemory;
use crate::procfs;

/// How long reading may take: the dying process is held meanwhile.
const LIMIT: Duration = Duration::from_millis(200);
/// Readings that are made before a parent is taken for one that cannot be read.
const MAX_READINGS: usize = 5;
/// Frames that are kept: enough to reach from a library's wait to the user's own code.
const MAX_FRAMES: usize = 12;

/// What process `pid` is doing now, and where the source of its frames is. `None` if it does not run Python or could
/// not be read.
pub(crate) fn look(pid: u32, locals: bool) -> Option<(Parent, LiveFiles)> {
    let parent = Parent {
        pid,
        frames: python_stack(pid, LIMIT, locals)?,
        waits_for_ever: None,
    };
    Some((parent, LiveFiles::of(pid)))
}

/// The Python frames of the first thread of process `pid`, innermost first and without source: a file system may take
/// long to give that, and a process may be held meanwhile.
pub(crate) fn python_stack(pid: u32, limit: Duration, locals: bool) -> Option<Vec<PythonFrame>> {
    let deadline = Instant::now() + limit;
    let maps = procfs::mappings(pid).ok()?;
    let files = LiveFiles::of(pid);
    let mut readings = (0..MAX_READINGS)
        .map_while(|_| (Instant::now() < deadline).then_some(()))
        .filter_map(|()| {
            let memory = UntilDeadline {
                memory: LiveMemory::of(pid),
                deadline,
            };
            glance(pid, &maps, &memory, &files, locals)
        });
    let (one, other) = (readings.next()?, readings.next()?);
    let mut frames: Vec<PythonFrame> = steady(&one, &other);
    frames.truncate(MAX_FRAMES);
    (!frames.is_empty()).then_some(frames)
}

/// Memory that cannot be read any more when the time is up.
struct UntilDeadline {
    memory: LiveMemory,
    deadline: Instant,
}

impl ReadMemory for UntilDeadline {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        if Instant::now() >= self.deadline {
            return Err(Unreadable { address });
        }
        self.memory.read(address, buffer)
    }
}
