//! Python's `multiprocessing`, and `multiprocess`, its copy with another pickler.

use super::{Runner, in_file, is_in, runner, variable};
use crate::capture::PythonFrame;

pub(super) const POOL: &str = "multiprocessing.Pool";
pub(super) const PROCESS: &str = "multiprocessing.Process";
/// A longer name of a process was not given by a person.
const LONGEST_NAME: usize = 100;

pub(super) const POOL_RUNNERS: &[Runner] = &[
    runner("multiprocessing/pool.py", "worker", POOL),
    runner("multiprocess/pool.py", "worker", POOL),
];
pub(super) const PROCESS_RUNNERS: &[Runner] = &[
    runner("multiprocessing/process.py", "_bootstrap", PROCESS),
    runner("multiprocess/process.py", "_bootstrap", PROCESS),
];
pub(super) const CARRIERS: &[&str] = &["/multiprocessing/", "/multiprocess/"];
pub(super) const FORKERS: &[&str] = &["multiprocessing", "ForkPoolWorker", "ForkProcess"];

/// Whether a frame's file is one of the library's.
pub(crate) fn is_own_file(file: &str) -> bool {
    file.contains("multiprocessing/")
}

/// Number of the job of which the worker of a pool had a task.
pub(crate) fn job<'a>(frames: &[&'a PythonFrame]) -> Option<&'a str> {
    let place = frames
        .iter()
        .rposition(|frame| is_in(frame, "multiprocessing/pool.py", "worker"))?;
    // One that has no task waits in the pool's queue, and still has the number of the last.
    let inner = frames.get(..place)?;
    let waits = inner
        .iter()
        .any(|frame| is_in(frame, "multiprocessing/queues.py", "get"));
    let job = frames
        .get(place)?
        .locals
        .iter()
        .find(|local| local.name == "job")?;
    job.value.text.as_deref().filter(|_| !waits)
}

/// The name that Python has for the process: in the process object, or in what a spawned process was prepared with.
pub(super) fn worker_name(frames: &[&PythonFrame]) -> Option<String> {
    let object =
        variable(frames, "_bootstrap", "self").and_then(|text| quoted_after(text, "name="));
    let prepared = || {
        variable(frames, "_main", "preparation_data")
            .and_then(|text| quoted_after(text, "'name': "))
    };
    object.or_else(prepared)
}

/// The text in single quotes that follows `label`.
fn quoted_after(text: &str, label: &str) -> Option<String> {
    let (_, rest) = text.split_once(label)?;
    let (name, _) = rest.strip_prefix('\'')?.split_once('\'')?;
    (!name.is_empty() && name.len() <= LONGEST_NAME).then(|| name.to_owned())
}

/// `Some(false)` where the parent joins the process: it does not wait for ever.
pub(super) fn notices_death(frames: &[PythonFrame]) -> Option<bool> {
    frames
        .iter()
        .any(|frame| is_in(frame, "multiprocessing/process.py", "join"))
        .then_some(false)
}

/// A pool replaces a worker that has died, but does not give its task to another: the result of that job never comes.
pub(super) fn waits_for_pool(frames: &[PythonFrame], lost_job: Option<&str>) -> Option<bool> {
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
