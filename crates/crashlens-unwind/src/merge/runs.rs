//! Python frames that one native evaluation runs.

use std::ops::Range;

use crate::python::PythonThread;

/// Consecutive Python frames of one evaluation, the last of them its entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    /// Where in the thread's frames.
    pub(super) frames: Range<usize>,
    /// An address inside the evaluation's stack frame.
    pub(super) evaluation: Option<u64>,
    /// How many evaluations are inside of this one, those of frames that were left out included.
    pub(super) inner_evaluations: usize,
}

/// All runs, innermost first. Together they have every frame exactly once.
pub(super) fn split(python: &PythonThread) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut start = 0;
    let mut inner_evaluations = 0;
    for (index, frame) in python.frames.iter().enumerate() {
        let next = index + 1;
        let hidden = python
            .elided
            .filter(|elided| elided.after == next)
            .map_or(0, |elided| elided.entries);
        let is_last = next == python.frames.len();
        // A run whose entry was left out ends where the frames were left out.
        if frame.is_entry || hidden > 0 || is_last {
            runs.push(Run {
                frames: start..next,
                evaluation: frame.evaluation.map(|address| address.0),
                inner_evaluations,
            });
            inner_evaluations += hidden + usize::from(frame.is_entry || hidden == 0);
            start = next;
        }
    }
    runs
}

/// All evaluations that the Python frames say there are.
pub(super) fn count_evaluations(python: &PythonThread) -> usize {
    let hidden = python.elided.map_or(0, |elided| elided.entries);
    hidden + python.frames.iter().filter(|frame| frame.is_entry).count()
}
