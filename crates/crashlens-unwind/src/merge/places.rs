//! Which native frame runs which Python frames.

use crashlens_core::{FrameTrust, NativeFrame, StackEnd};

use crate::python::PythonThread;

use super::runs::{Run, count_evaluations};

/// Each run is searched among the frames behind the one before it, and honest ones are found within a few.
const MAX_COMPARISONS: usize = 10_000_000;

/// For each run the index of the native frame that runs it, where one was found; ascending.
#[derive(Debug)]
pub(super) struct Places {
    evaluations: Vec<Option<usize>>,
    /// Where runs go that come before all others that were found.
    first: Option<usize>,
}

/// Where a run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Behind this native frame.
    pub(super) native: usize,
    pub(super) trust: FrameTrust,
}

impl Places {
    /// The place of each run, ascending. A run that was not found follows the run it called; outside of
    /// all that were found it follows all native frames, which then most likely end too early.
    pub(super) fn after(&self, native_frames: usize) -> Vec<Place> {
        let last_found = self.evaluations.iter().rposition(Option::is_some);
        let first_found = self.evaluations.iter().flatten().next().copied();
        let leading = match (self.first, first_found) {
            (Some(first), Some(found)) => first.min(found),
            (first, found) => first.or(found).unwrap_or(native_frames),
        };
        let mut previous = leading;
        let place = |(index, found): (usize, &Option<usize>)| {
            let Some(native) = *found else {
                let is_tail = last_found.is_some_and(|last| index > last);
                let native = if is_tail { native_frames } else { previous };
                return Place {
                    native,
                    trust: FrameTrust::Unplaced,
                };
            };
            previous = native;
            Place {
                native,
                trust: FrameTrust::Interpreter,
            }
        };
        self.evaluations.iter().enumerate().map(place).collect()
    }
}

/// Finds the native frame of every run, as far as that is possible.
pub(super) fn find(
    native: &[NativeFrame],
    stack_pointers: &[u64],
    runs: &[Run],
    python: &PythonThread,
    version: (u8, u8),
) -> Places {
    let groups = physical_frames(native, version);
    let by_stack = by_stack(&groups, stack_pointers, runs);
    let evaluations = if by_stack.iter().any(Option::is_some) {
        by_stack
    } else {
        by_count(native, &groups, runs, python)
    };
    let module = interpreter_module(native, &groups);
    let first = module.and_then(|module| {
        native
            .iter()
            .position(|frame| frame.path.as_deref() == Some(module))
    });
    Places { evaluations, first }
}

/// A native frame with the frames that were inlined into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PhysicalFrame {
    /// Index of the frame itself, which is behind the inlined ones.
    index: usize,
    piece: Piece,
}

/// What part of the evaluation function a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// No part of it.
    None,
    /// Something it calls that belongs to the same evaluation when it is called from there.
    Inner,
    /// The function.
    Whole,
}

fn physical_frames(native: &[NativeFrame], version: (u8, u8)) -> Vec<PhysicalFrame> {
    let mut groups = Vec::new();
    let mut piece = Piece::None;
    for (index, frame) in native.iter().enumerate() {
        piece = piece.max(
            frame
                .function
                .as_deref()
                .map_or(Piece::None, |name| piece_of(name, version)),
        );
        if !frame.inlined || index + 1 == native.len() {
            groups.push(PhysicalFrame { index, piece });
            piece = Piece::None;
        }
    }
    groups
}

fn piece_of(function: &str, version: (u8, u8)) -> Piece {
    // A build whose instructions are functions that call each other in tail position: the innermost stands
    // in for all, above the function that entered the first.
    if function.starts_with("_TAIL_CALL_") {
        return Piece::Inner;
    }
    let (name, suffix) = function.split_once('.').unwrap_or((function, ""));
    // In Python 3 `PyEval_EvalFrameEx` only calls the other, and would count twice.
    let evaluation = if version.0 == 2 {
        "PyEval_EvalFrameEx"
    } else {
        "_PyEval_EvalFrameDefault"
    };
    match (name == evaluation, suffix) {
        (false, _) => Piece::None,
        // `.part` is called by the rest of the function; `.cold` is jumped to, and has no frame of its own.
        (true, suffix) if suffix.starts_with("part") => Piece::Inner,
        (true, _) => Piece::Whole,
    }
}

/// Finds evaluations by the addresses that runs have inside their stack frames.
fn by_stack(groups: &[PhysicalFrame], stack_pointers: &[u64], runs: &[Run]) -> Vec<Option<usize>> {
    let start = |group: &PhysicalFrame| stack_pointers.get(group.index).copied();
    let mut next = 0;
    let mut comparisons = MAX_COMPARISONS;
    let find_one = |run: &Run| {
        let address = run.evaluation?;
        let rest = groups.get(next..).unwrap_or_default();
        comparisons = comparisons.checked_sub(rest.len())?;
        let found = rest.array_windows().position(|[inner, outer]| {
            // Empty where the stack was switched, as below a signal handler that has its own.
            let frame = start(inner)
                .zip(start(outer))
                .map(|(start, end)| start..end);
            frame.is_some_and(|frame| frame.contains(&address))
        })?;
        next += found + 1;
        rest.get(found).map(|group| group.index)
    };
    runs.iter().map(find_one).collect()
}

/// Finds evaluations by their names, and runs by their number.
fn by_count(
    native: &[NativeFrame],
    groups: &[PhysicalFrame],
    runs: &[Run],
    python: &PythonThread,
) -> Vec<Option<usize>> {
    let expected = count_evaluations(python);
    let mut evaluations = named_evaluations(groups);
    if evaluations.len() < expected {
        let unnamed = unnamed_frames(native, groups);
        // In a stripped build the rarely used half of the evaluation function has no name, and its frames
        // look like those of any other static function. They are told apart only if there are no others.
        if !unnamed.is_empty() {
            evaluations.extend(unnamed);
            evaluations.sort_unstable();
            if evaluations.len() != expected {
                return vec![None; runs.len()];
            }
        }
    }
    // The innermost evaluation may have no Python frame yet, or no more, and the stacks fit at the outer
    // end only. With an incomplete Python stack nothing is known about that end.
    let surplus = match python.end {
        StackEnd::Complete => evaluations.len().saturating_sub(expected),
        _ => 0,
    };
    runs.iter()
        .map(|run| evaluations.get(surplus + run.inner_evaluations).copied())
        .collect()
}

/// Indices of the frames that are evaluations by their names, each evaluation once.
fn named_evaluations(groups: &[PhysicalFrame]) -> Vec<usize> {
    let outer = groups
        .iter()
        .skip(1)
        .map(|group| group.piece)
        .chain([Piece::None]);
    groups
        .iter()
        .zip(outer)
        .filter(|(group, outer)| match group.piece {
            Piece::None => false,
            Piece::Inner => *outer == Piece::None,
            Piece::Whole => true,
        })
        .map(|(group, _)| group.index)
        .collect()
}

/// Indices of the frames without a name in the interpreter's module.
fn unnamed_frames(native: &[NativeFrame], groups: &[PhysicalFrame]) -> Vec<usize> {
    let Some(module) = interpreter_module(native, groups) else {
        return Vec::new();
    };
    let is_unnamed =
        |frame: &NativeFrame| frame.function.is_none() && frame.path.as_deref() == Some(module);
    let indices = groups.iter().map(|group| group.index);
    indices
        .filter(|&index| native.get(index).is_some_and(is_unnamed))
        .collect()
}

/// The module of the evaluation function, or the one that is called like an interpreter.
fn interpreter_module<'a>(native: &'a [NativeFrame], groups: &[PhysicalFrame]) -> Option<&'a str> {
    let evaluation = groups
        .iter()
        .find(|group| group.piece != Piece::None)
        .and_then(|group| native.get(group.index));
    let is_named_so = |frame: &&NativeFrame| {
        let library = frame.library.as_deref().unwrap_or_default();
        library.starts_with("libpython") || library.starts_with("python")
    };
    evaluation
        .or_else(|| native.iter().find(is_named_so))?
        .path
        .as_deref()
}
