//! From the process to its Python stacks: the order of the steps, and what is said when one fails.

use crashlens_core::{Gaps, Module, PythonRuntime, StackEnd};

use crate::{ProcessSnapshot, ReadMemory, ThreadState};

use super::budget::BudgetedMemory;
use super::find::{self, Root};
use super::frames::{self, FrameChain, FrameRecord};
use super::objects::{ObjectReader, Python2Unicode, at};
use super::offsets::{self, Offsets};
use super::threads::{self, GilRoots, ThreadList, ThreadRecord};
use super::version::{self, Version};
use super::{Elision, PythonState, PythonThread, RawPythonFrame, SymbolLookup, debug_offsets};

/// Reads of memory for one process: two for each of 100 000 frames, and as much again for everything else.
const MOST_READS: u32 = 400_000;

/// Bytes read from one process.
const MOST_BYTES: usize = 64 << 20;

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

const PART: &str = "Python stacks";

pub(super) fn read(
    memory: &dyn ReadMemory,
    modules: &[Module],
    symbols: &dyn SymbolLookup,
    snapshot: &ProcessSnapshot,
    _confidential: Option<&dyn ReadMemory>,
    gaps: &mut Gaps,
) -> Option<PythonState> {
    let threads = snapshot.threads.as_slice();
    let memory = BudgetedMemory::new(memory, MOST_READS, MOST_BYTES);
    let interpreter = Interpreter::find(&memory, modules, symbols)?;
    let mut state = PythonState {
        runtime: interpreter.describe(&memory, symbols),
        version: interpreter.version.number,
        threads: Vec::new(),
        foreign_call: Err("not looked for yet".to_owned()),
        recursion_limit: None,
    };
    match (interpreter.offsets, interpreter.head) {
        (Some(offsets), Some(head)) => {
            state.threads =
                interpreter.read_threads(&memory, &offsets, head, symbols, threads, gaps);
        }
        (Some(_), None) => {
            gaps.add(PART, "the list of interpreters cannot be read", None);
        }
        (None, _) => {
            let version = &interpreter.version.text;
            gaps.add(
                PART,
                format!("the memory layout of CPython {version} is not known"),
                None,
            );
        }
    }
    if memory.is_spent() {
        gaps.add(PART, "there is more than is ever read of one process", None);
    }
    Some(state)
}

/// An interpreter that was found in the process.
struct Interpreter<'a> {
    module: &'a Module,
    root: Root,
    version: Version,
    offsets: Option<Offsets>,
    /// Address of the newest interpreter state, 0 before the first; `None` when it cannot be read.
    head: Option<u64>,
}

impl<'a> Interpreter<'a> {
    /// The first that has run, else the first at all.
    fn find(
        memory: &'a dyn ReadMemory,
        modules: &'a [Module],
        symbols: &'a dyn SymbolLookup,
    ) -> Option<Self> {
        let mut idle = None;
        for (module, root) in find::candidates(memory, modules, symbols) {
            let Some(version) = version::identify(memory, module, symbols, root) else {
                continue;
            };
            let offsets = offsets_of(memory, version.number, root);
            let head = offsets.and_then(|offsets| head(memory, &offsets, root));
            let found = Self {
                module,
                root,
                version,
                offsets,
                head,
            };
            if found.head.is_some_and(|head| head != 0) {
                return Some(found);
            }
            idle.get_or_insert(found);
        }
        idle
    }

    fn describe(&self, memory: &dyn ReadMemory, symbols: &dyn SymbolLookup) -> PythonRuntime {
        PythonRuntime {
            version: self.version.text.clone(),
            library: self.module.path.clone(),
            shared: self.module.name.contains(".so"),
            stripped: !symbols.has_symtab(self.module),
            finalizing: self.finalizing(memory, symbols),
        }
    }

    fn finalizing(&self, memory: &dyn ReadMemory, symbols: &dyn SymbolLookup) -> Option<bool> {
        let offsets = self.offsets?;
        let marks = match (self.root, offsets.runtime) {
            (Root::Runtime(runtime), Some(fields)) => {
                let interpreter = offsets
                    .interpreter
                    .finalizing
                    .and_then(|offset| at(self.head?, offset).ok());
                [Some(at(runtime, fields.finalizing).ok()?), interpreter]
            }
            _ => [symbols.symbol(self.module, "_Py_Finalizing"), None],
        };
        marks
            .into_iter()
            .flatten()
            .filter_map(|mark| memory.u64(mark).ok())
            .map(|mark| mark != 0)
            .reduce(|a, b| a || b)
    }

    fn read_threads(
        &self,
        memory: &dyn ReadMemory,
        offsets: &Offsets,
        head: u64,
        symbols: &dyn SymbolLookup,
        threads: &[ThreadState],
        gaps: &mut Gaps,
    ) -> Vec<PythonThread> {
        let list = threads::list(memory, offsets, head);
        if let Some(cut) = list.cut {
            gaps.add(PART, cut, None);
        }
        let mut stacks = StackReader {
            memory,
            offsets,
            objects: ObjectReader::new(
                memory,
                offsets.text,
                offsets.code,
                self.python2_unicode(symbols),
            ),
            frames_left: MOST_FRAMES,
            text_left: MOST_TEXT,
        };
        let mut read = Vec::new();
        for thread in stacks.read_all(&list, self.gil_roots(symbols), threads) {
            if let Some(elided) = thread.elided {
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
            join(&mut read, thread);
        }
        read
    }

    fn gil_roots(&self, symbols: &dyn SymbolLookup) -> GilRoots {
        match self.root {
            Root::Runtime(runtime) => GilRoots {
                runtime: Some(runtime),
                current_variable: None,
            },
            Root::InterpreterList(_) => GilRoots {
                runtime: None,
                current_variable: symbols.symbol(self.module, "_PyThreadState_Current"),
            },
        }
    }

    fn python2_unicode(&self, symbols: &dyn SymbolLookup) -> Option<Python2Unicode> {
        if self.version.number != (2, 7) {
            return None;
        }
        // The width of a character is part of every function's name, so that extensions for the other
        // width fail to load.
        let wide = symbols
            .symbol(self.module, "PyUnicodeUCS4_AsUTF8String")
            .is_some();
        Some(Python2Unicode {
            unicode_type: symbols.symbol(self.module, "PyUnicode_Type")?,
            character_size: if wide { 4 } else { 2 },
        })
    }
}

fn offsets_of(memory: &dyn ReadMemory, version: (u8, u8), root: Root) -> Option<Offsets> {
    if let Some(offsets) = offsets::table(version) {
        return Some(offsets);
    }
    let Root::Runtime(runtime) = root else {
        return None;
    };
    debug_offsets::read(memory, runtime, &offsets::published(version)?)
        .ok()
        .flatten()
}

fn head(memory: &dyn ReadMemory, offsets: &Offsets, root: Root) -> Option<u64> {
    let variable = match root {
        Root::Runtime(runtime) => at(runtime, offsets.runtime?.interpreters_head).ok()?,
        Root::InterpreterList(variable) => variable,
    };
    memory.u64(variable).ok()
}

/// Adds a thread's stack; below the one it already has, when it has one.
///
/// A thread that calls into a sub-interpreter has a state in each. Interpreters are listed the newest
/// first, and calls lead from older to newer ones.
fn join(threads: &mut Vec<PythonThread>, thread: PythonThread) {
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

/// Reads the stacks of one interpreter's threads.
struct StackReader<'a> {
    memory: &'a dyn ReadMemory,
    offsets: &'a Offsets,
    objects: ObjectReader<'a>,
    frames_left: usize,
    text_left: usize,
}

impl StackReader<'_> {
    fn read_all(
        &mut self,
        list: &ThreadList,
        roots: GilRoots,
        threads: &[ThreadState],
    ) -> Vec<PythonThread> {
        let read_one = |&record: &ThreadRecord| {
            let chain = frames::walk(self.memory, self.offsets, record.address, self.frames_left);
            self.frames_left = self.frames_left.saturating_sub(chain.records.len());
            let (frames, elided, end) = self.name(&chain);
            PythonThread {
                thread: threads::kernel_thread(self.memory, self.offsets, threads, record),
                holds_gil: threads::holds_gil(self.memory, self.offsets, list, roots, record),
                frames,
                elided,
                end,
            }
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
