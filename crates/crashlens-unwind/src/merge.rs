//! One stack from two: Python frames at the native frames that run them.
//!
//! Responsible for places only: no frame is lost, none is invented, and neither list changes its order.
//!
//! CPython runs Python frames in `_PyEval_EvalFrameDefault`; each native frame of it, an *evaluation*,
//! runs one *run* of Python frames. Two facts tell which: from 3.10 on each run knows an address inside
//! its evaluation's stack frame, which needs no names and is exact; before, or where stack pointers are
//! not known, evaluations and runs are counted.

mod places;
mod runs;

use crashlens_core::{Frame, FrameTrust, NativeFrame, PythonFrame};

use crate::python::{PythonThread, RawPythonFrame};

use places::Places;
use runs::Run;

/// Merges the stacks of one thread, innermost frame first.
///
/// `stack_pointers` has for each native frame the stack pointer in it, an inlined frame that of the
/// function it was expanded into. It may end early: frames without one are found by counting.
pub(crate) fn merge(
    native: Vec<NativeFrame>,
    stack_pointers: &[u64],
    python: Option<&PythonThread>,
    version: (u8, u8),
) -> Vec<Frame> {
    let Some(python) = python else {
        return native.into_iter().map(Frame::Native).collect();
    };
    let runs = runs::split(python);
    let places = places::find(&native, stack_pointers, &runs, python, version);
    weave(native, &python.frames, &runs, &places)
}

fn weave(
    native: Vec<NativeFrame>,
    frames: &[RawPythonFrame],
    runs: &[Run],
    places: &Places,
) -> Vec<Frame> {
    let mut merged = Vec::with_capacity(native.len() + frames.len());
    let mut pending = runs.iter().zip(places.after(native.len())).peekable();
    for (index, frame) in native.into_iter().enumerate() {
        merged.push(Frame::Native(frame));
        while let Some((run, place)) = pending.next_if(|(_, place)| place.native <= index) {
            merged.extend(python_frames(frames, run, place.trust));
        }
    }
    for (run, place) in pending {
        merged.extend(python_frames(frames, run, place.trust));
    }
    merged
}

fn python_frames(
    frames: &[RawPythonFrame],
    run: &Run,
    trust: FrameTrust,
) -> impl Iterator<Item = Frame> {
    let frames = frames.get(run.frames.clone()).unwrap_or_default();
    frames.iter().map(move |frame| {
        Frame::Python(PythonFrame {
            file: frame.file.clone(),
            line: frame.line,
            function: frame.function.clone(),
            source: None,
            trust,
            locals: frame.locals.clone(),
        })
    })
}

#[cfg(test)]
mod tests;
