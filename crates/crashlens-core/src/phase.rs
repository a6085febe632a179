//! What the program was busy with, told from its frames.
//!
//! Responsible for the phase alone; why the program died in it is for the rules. The functions that tell a phase
//! are facts about the world, in `data/phases.toml`.

use crate::capture::{CrashCapture, Frame, FrameTrust, Phase, PythonFrame, Thread, ThreadRole};
use crate::culprit::python_frames;

mod imports;
mod places;

use places::Busy;

/// Functions that run only once the program has been asked to end.
pub(crate) const EXIT_FUNCTIONS: [&str; 9] = [
    "exit",
    "__run_exit_handlers",
    "_dl_fini",
    "Py_FinalizeEx",
    "Py_Finalize",
    "_Py_Finalize",
    "Py_Exit",
    "finalize_modules",
    "call_py_exitfuncs",
];

/// The phase; `None` for a process without Python.
pub(crate) fn of(capture: &CrashCapture) -> Option<Phase> {
    let runtime = capture.environment.python.known();
    let has_frames = capture
        .threads
        .iter()
        .any(|thread| python_frames(thread).next().is_some());
    if runtime.is_none() && !has_frames {
        return None;
    }
    let crashed = capture.threads.iter().find(|thread| thread.crashed);
    let waiting = capture
        .threads
        .iter()
        .find(|thread| thread.waits_for_crashed);
    let main = capture
        .threads
        .iter()
        .find(|thread| thread.role == ThreadRole::Main);
    let is_finalizing = runtime.and_then(|runtime| runtime.finalizing) == Some(true);
    if is_finalizing || [crashed, main].into_iter().flatten().any(is_exiting) {
        return Some(Phase::Exiting);
    }
    let phase = [crashed, waiting, main]
        .into_iter()
        .flatten()
        .find_map(of_thread);
    let reads_data = crashed.is_some_and(|thread| thread.role == ThreadRole::TfData);
    Some(match phase {
        Some(phase) => phase,
        None if reads_data => Phase::IteratingDataset,
        None => Phase::Running,
    })
}

fn is_exiting(thread: &Thread) -> bool {
    thread.frames.iter().any(|frame| match frame {
        Frame::Native(native) if native.trust < FrameTrust::Scan => {
            let name = native.function.as_deref().unwrap_or_default();
            // Arguments and the compiler's suffixes are no part of a name of C.
            let name = name.split(['(', '.', '@']).next().unwrap_or_default();
            EXIT_FUNCTIONS.contains(&name)
        }
        Frame::Native(_) | Frame::Python(_) => false,
    })
}

/// The phase that the innermost telling frame of a thread shows.
fn of_thread(thread: &Thread) -> Option<Phase> {
    let frames: Vec<&PythonFrame> = python_frames(thread).collect();
    let mut reads_data = false;
    for frame in &frames {
        if imports::is_machinery(frame) {
            return Some(imports::phase(&frames));
        }
        match places::busy(frame) {
            // Whoever trains reads data all the time; it is what is around that tells.
            Some(Busy::IteratingDataset) => reads_data = true,
            Some(busy) => return Some(busy.into()),
            None => {}
        }
    }
    reads_data.then_some(Phase::IteratingDataset)
}

#[cfg(test)]
mod tests;
