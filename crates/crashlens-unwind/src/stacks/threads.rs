//! The native stacks of all threads, and the Python threads that have none.

use crashlens_core::{Gaps, StackEnd};

use crate::image::Images;
use crate::native::{RawFrame, RawStack, Walker};
use crate::python::PythonState;
use crate::recording::Recorder;
use crate::{ProcessSnapshot, ThreadState};

/// The native stacks, as far as time allows.
pub(super) fn walk_threads(
    snapshot: &ProcessSnapshot,
    recorder: &Recorder<'_>,
    images: &Images,
) -> Vec<RawStack> {
    let confidential = recorder.confidential();
    let mut walker = Walker::new(snapshot, recorder, &confidential, images);
    let walk = |thread: &ThreadState| match &thread.registers {
        None => RawStack {
            frames: Vec::new(),
            end: StackEnd::NotStopped,
        },
        Some(registers) if recorder.is_expired() => RawStack {
            frames: vec![RawFrame::interrupted(registers)],
            end: StackEnd::TimeLimit,
        },
        Some(registers) => walker.walk(registers),
    };
    snapshot.threads.iter().map(walk).collect()
}

/// Python threads that no thread of the process runs: their stacks have no place in the report.
pub(super) fn note_lost_threads(python: Option<&PythonState>, gaps: &mut Gaps) {
    let threads = python.iter().flat_map(|state| &state.threads);
    let lost = threads
        .filter(|thread| thread.thread.is_none() && !thread.frames.is_empty())
        .count();
    if lost > 0 {
        gaps.add(
            format!("stacks of {lost} Python threads"),
            "the interpreter lists them, but no thread of the process runs them",
            None,
        );
    }
}
