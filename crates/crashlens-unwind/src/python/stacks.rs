//! The stacks of all threads: their frames by name, and what is left out of deep ones.

use crashlens_core::{Gaps, StackEnd};

use crate::{ReadMemory, ThreadState};

use super::frames::{self, FrameChain, FrameRecord};
use super::objects::ObjectReader;
use super::offsets::Offsets;
use super::threads::{self, GilRoots, ThreadList, ThreadRecord};
use super::{Elision, PythonThread, RawPythonFrame};

/// Frames walked in one process.
const MOST_FRAMES: usize = 100_000;

/// Frames of a deep stack that are kept at its inner and at its outer end. Runaway recursion is seen in
/// the first, what started it in the second.
const KEPT_INNERMOST: usize = 300;
const KEPT_OUTERMOST: usize = 50;

/// Bytes of names kept of one process, each frame counted as [`FRAME_COST`] more. Thousands of garbage
/// threads could otherwise share one frame with a long name.
const MOST_TEXT: usize = 32 << 20;
const FRAME_COST: usize = 256;

/// Undecodable frames in a row after which a stack is taken for garbage.
const MOST_UNKNOWN: usize = 8;

/// Adds a thread's stack; below the one it already has, when it has one.
///
/// A thread that calls into a sub-interpreter has a state in each. Interpreters are listed the newest
/// first, and calls lead from older to newer ones.
pub(super) fn join(threads: &mut Vec<PythonThread>, thread: PythonThread) {
    let same = threads
        .iter_mut()
        .find(|known| known.thread.is_some() && known.thread == thread.thread);
    let Some(known) = same else {
        return threads.push(thread);
    };
    if known.frames.is_empty() {
        known.elided = thread.elided;
        known.end = thread.end;
    } else if known.elided.is_none() {
        let inner = known.frames.len();
        known.elided = thread.elided.map(|elided| Elision {
            after: elided.after + inner,
            ..elided
        });
        known.end = if known.end == StackEnd::Complete {
            thread.end
        } else {
            known.end
        };
    }
    known.frames.extend(thread.frames);
    known.holds_gil = known.holds_gil.max(thread.holds_gil);
}

/// A thread's stack, and where the interpreter keeps its frames.
#[derive(Debug)]
pub(crate) struct StackRead {
    pub(crate) thread: PythonThread,
    /// Where each of the thread's frames is.
    pub(crate) records: Vec<FrameRecord>,
}

/// Says what was left out of a deep stack.
pub(super) fn note_elision(thread: &PythonThread, gaps: &mut Gaps) {
    let Some(elided) = thread.elided else { return };
    let reason = format!(
        "the stack is {} frames deep; the innermost {KEPT_INNERMOST} and the outermost {KEPT_OUTERMOST} are kept",
        thread.frames.len() + elided.frames
    );
    let whose = thread
        .thread
        .map_or_else(|| "a thread".to_owned(), |id| format!("thread {id}"));
    gaps.add(
        format!("middle of the Python stack of {whose}"),
        reason,
        None,
    );
}

/// Reads the stacks of all threads.
pub(super) struct StackReader<'a> {
    memory: &'a dyn ReadMemory,
    offsets: &'a Offsets,
    objects: ObjectReader<'a>,
    frames_left: usize,
    text_left: usize,
}

impl<'a> StackReader<'a> {
    pub(super) fn new(
        memory: &'a dyn ReadMemory,
        offsets: &'a Offsets,
        objects: ObjectReader<'a>,
    ) -> Self {
        Self {
            memory,
            offsets,
            objects,
            frames_left: MOST_FRAMES,
            text_left: MOST_TEXT,
        }
    }

    pub(super) fn read_all(
        &mut self,
        list: &ThreadList,
        roots: GilRoots,
        threads: &[ThreadState],
    ) -> Vec<StackRead> {
        let read_one = |&record: &ThreadRecord| {
            let chain = frames::walk(self.memory, self.offsets, record.address, self.frames_left);
            self.frames_left = self.frames_left.saturating_sub(chain.records.len());
            let (inner, _, outer) = split(&chain.records);
            let mut records = [inner, outer].concat();
            let (frames, elided, end) = self.name(&chain);
            records.truncate(frames.len());
            let thread = PythonThread {
                thread: threads::kernel_thread(self.memory, self.offsets, threads, record),
                holds_gil: threads::holds_gil(self.memory, self.offsets, list, roots, record),
                frames,
                elided,
                end,
            };
            StackRead { thread, records }
        };
        list.threads.iter().map(read_one).collect()
    }

    fn name(&mut self, chain: &FrameChain) -> (Vec<RawPythonFrame>, Option<Elision>, StackEnd) {
        let (inner, middle, outer) = split(&chain.records);
        let mut frames = Vec::new();
        let mut unknown = 0;
        for record in inner.iter().chain(outer) {
            let frame = self.name_frame(record);
            let cost = frame
                .as_ref()
                .map_or(0, |frame| frame.file.len() + frame.function.len());
            let Some(left) = self.text_left.checked_sub(FRAME_COST + cost) else {
                return (frames, None, StackEnd::DepthLimit);
            };
            self.text_left = left;
            unknown = if frame.is_ok() { 0 } else { unknown + 1 };
            match frame {
                Err(error) if unknown > MOST_UNKNOWN => {
                    frames.truncate(frames.len() - MOST_UNKNOWN);
                    let end = StackEnd::Unreadable {
                        address: crashlens_core::Address(error.address),
                    };
                    return (frames, None, end);
                }
                Err(_) => frames.push(unknown_frame(record)),
                Ok(frame) => frames.push(frame),
            }
        }
        let elided = (!middle.is_empty()).then(|| Elision {
            after: inner.len(),
            frames: middle.len(),
            entries: middle.iter().filter(|record| record.is_entry).count(),
        });
        (frames, elided, chain.end)
    }

    fn name_frame(&mut self, record: &FrameRecord) -> Result<RawPythonFrame, crate::Unreadable> {
        let execution = record.execution(self.memory, self.offsets)?;
        let code = self.objects.code(execution.code)?;
        Ok(RawPythonFrame {
            file: code.file.clone(),
            line: self.objects.line(&code, execution.offset),
            function: code.function.clone(),
            is_entry: record.is_entry,
            evaluation: record.evaluation,
            locals: Vec::new(),
        })
    }
}

/// A frame whose code object is damaged still takes its place: its neighbours would move otherwise.
fn unknown_frame(record: &FrameRecord) -> RawPythonFrame {
    RawPythonFrame {
        file: "<unknown>".to_owned(),
        line: None,
        function: "<unknown>".to_owned(),
        is_entry: record.is_entry,
        evaluation: record.evaluation,
        locals: Vec::new(),
    }
}

/// The innermost, the middle and the outermost frames of a stack; the last two empty if it is not deep.
fn split(records: &[FrameRecord]) -> (&[FrameRecord], &[FrameRecord], &[FrameRecord]) {
    if records.len() <= KEPT_INNERMOST + KEPT_OUTERMOST {
        return (records, &[], &[]);
    }
    let (inner, rest) = records.split_at(KEPT_INNERMOST);
    let (middle, outer) = rest.split_at(rest.len() - KEPT_OUTERMOST);
    (inner, middle, outer)
}
