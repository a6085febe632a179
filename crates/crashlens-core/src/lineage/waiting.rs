//! Whether a parent waits for something that its dead child will never do.

use super::worker::{FUTURES, KERAS, POOL, PROCESS, PROGRAM, TORCH_LOADER};
use super::{in_file, is_in};
use crate::capture::{PythonFrame, Worker};

/// `Some(true)` if it does, `Some(false)` if it will notice the death, `None` if that cannot be told.
///
/// `frames` are those of the parent's first thread, innermost first.
pub(super) fn waits_for_ever(
    frames: &[PythonFrame],
    worker: &Worker,
    had_task: bool,
) -> Option<bool> {
    let calls = |file, function| frames.iter().any(|frame| is_in(frame, file, function));
    match worker.kind.as_str() {
        POOL | KERAS if had_task => waits_for_pool(frames),
        // These watch their workers, and raise an exception.
        FUTURES | TORCH_LOADER => Some(false),
        PROCESS => calls("multiprocessing/process.py", "join").then_some(false),
        PROGRAM => frames
            .iter()
            .any(|frame| in_file(frame, "subprocess.py"))
            .then_some(false),
        _ => None,
    }
}

/// A pool replaces a worker that has died, but nobody does the task it had: its result never comes, and the pool
/// is never out of work and cannot be joined.
fn waits_for_pool(frames: &[PythonFrame]) -> Option<bool> {
    let outside = frames
        .iter()
        .find(|frame| !in_file(frame, "threading.py"))
        .filter(|frame| in_file(frame, "multiprocessing/pool.py"))?;
    match outside.function.rsplit('.').next()? {
        "join" => Some(true),
        "get" | "wait" | "next" => has_time_limit(frames).map(|limited| !limited),
        _ => None,
    }
}

/// Whether `Condition.wait` has a time limit: there is a line in it for each case.
fn has_time_limit(frames: &[PythonFrame]) -> Option<bool> {
    let innermost = frames
        .first()
        .filter(|frame| is_in(frame, "threading.py", "wait"))?;
    match innermost.source.as_deref()?.trim() {
        "waiter.acquire()" => Some(false),
        line if line.contains("acquire(") && line.contains("timeout") => Some(true),
        _ => None,
    }
}
