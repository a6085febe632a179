//! Whether a parent waits for something that its dead child will never do.

use super::worker::{FUTURES, KERAS, POOL, PROCESS, PROGRAM, TORCH_LOADER};
use super::{in_file, is_in};
use crate::capture::{PythonFrame, Worker};

/// `Some(true)` if it does, `Some(false)` if it will notice the death, `None` if that cannot be told.
///
/// `frames` are those of the parent's first thread, innermost first; `lost_job` is the number of the job that the worker
/// of a pool had a task of.
pub(super) fn waits_for_ever(
    frames: &[PythonFrame],
    worker: &Worker,
    lost_job: Option<&str>,
) -> Option<bool> {
    let calls = |file, function| frames.iter().any(|frame| is_in(frame, file, function));
    match worker.kind.as_str() {
        POOL | KERAS => waits_for_pool(frames, lost_job),
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

/// A pool replaces a worker that has died, but nobody does the task it had: the result of that job never comes.
fn waits_for_pool(frames: &[PythonFrame], lost_job: Option<&str>) -> Option<bool> {
    let outside = frames
        .iter()
        .find(|frame| !in_file(frame, "threading.py"))
        .filter(|frame| in_file(frame, "multiprocessing/pool.py"))?;
    // Which pool is joined, cannot be told.
    if !matches!(
        outside.function.rsplit('.').next()?,
        "get" | "wait" | "next"
    ) {
        return None;
    }
    match (has_time_limit(frames)?, lost_job?, job_of(outside)?) {
        (true, ..) => Some(false),
        (false, lost, awaited) => (lost == awaited).then_some(true),
    }
}

/// Number of the job whose result is waited for in `frame`, from what is shown of the result: `<MapResult job=3>`.
fn job_of(frame: &PythonFrame) -> Option<&str> {
    let own = frame.locals.iter().find(|local| local.name == "self")?;
    let (_, job) = own.value.text.as_deref()?.split_once("job=")?;
    job.strip_suffix('>')
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
