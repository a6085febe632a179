//! What kind of worker a process was, what it was given, and whether its parent waits in vain: told from Python
//! frames alone, so that live processes, cores and saved captures give the same answer.

mod worker;

use crate::capture::{CrashCapture, Frame, Lineage, Observed, Origin, PythonFrame, Role, Thread};
use crate::contexts;

/// The lineage as far as it was observed, completed by what frames tell. `None` when neither says anything.
pub(crate) fn of(capture: &CrashCapture) -> Option<Lineage> {
    let observed = match &capture.circumstances.lineage {
        Observed::Known(lineage) => Some(lineage.clone()),
        Observed::Absent | Observed::Unknown(_) => None,
    };
    let stack = worker_stack(capture);
    let worker = stack.as_deref().and_then(worker::recognise);
    let Some(mut lineage) = observed else {
        // A core does not say how its process was made. A worker was made by somebody, and ran by itself before it
        // was looked at.
        let worker = worker?;
        return Some(Lineage {
            worker: Some(worker),
            ..Lineage::new(Origin::Joined)
        });
    };
    let is_program = lineage.origin == Origin::Spawned && capture.process.role == Role::Child;
    let runs_python = capture.environment.python.known().is_some();
    lineage.worker = lineage
        .worker
        .or(worker)
        .or_else(|| (is_program && runs_python).then(worker::program));
    if let (Some(parent), Some(worker)) = (&mut lineage.parent, &lineage.worker) {
        let lost_job = stack.as_deref().and_then(contexts::multiprocessing::job);
        parent.waits_for_ever = parent
            .waits_for_ever
            .or_else(|| contexts::waits_for_ever(&worker.kind, &parent.frames, lost_job));
    }
    Some(lineage)
}

/// The stack on which a worker's own machinery is: of the crashed thread, of the first one, or of any other.
fn worker_stack(capture: &CrashCapture) -> Option<Vec<&PythonFrame>> {
    let mut threads: Vec<&Thread> = capture.threads.iter().collect();
    threads.sort_by_key(|thread| (!thread.crashed, thread.id != capture.process.pid));
    threads
        .into_iter()
        .map(python_frames)
        .find(|frames| contexts::runner_in(frames).is_some())
}

fn python_frames(thread: &Thread) -> Vec<&PythonFrame> {
    let frames = thread.frames.iter().filter_map(|frame| match frame {
        Frame::Python(python) => Some(python),
        Frame::Native(_) => None,
    });
    frames.collect()
}

#[cfg(test)]
mod tests;
