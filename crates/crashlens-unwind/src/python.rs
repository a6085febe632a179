//! The interpreter's own stacks, read from its memory.
//!
//! Responsible for finding CPython in a process, telling its version, and reading every thread's frames
//! with file, function and line. Not responsible for placing them among native frames (see
//! `merge`) nor for source text.
//!
//! Everything read is foreign and bounded: interpreters, threads, frames, strings, line tables and the
//! number of reads. What cannot be read becomes a gap; the rest stands.
//!
//! | version | offsets | tested on |
//! |---|---|---|
//! | 2.7 | own table | 2.7.18, shared |
//! | 3.6 – 3.10 | own tables | 3.6.15, 3.7.16, 3.8.18, 3.9.18, 3.10.13, shared |
//! | 3.11 | own table | 3.11.7 shared; 3.11.2 of Debian 12, static and stripped |
//! | 3.12 | own table | 3.12.1, shared |
//! | 3.13 | published by the interpreter | 3.13.0, shared |
//! | 3.14 | published by the interpreter | 3.14.8 of Debian, static and stripped |
//! | 3.15 | published by the interpreter | 3.15.0 of Debian, static and stripped |
//!
//! Each shared one also with a stripped copy of its library. Free-threaded builds (3.13 and later) are
//! read by the offsets they publish but were not tested; lines of code that was specialised for a thread
//! (3.14, free-threaded) are missing.
//!
//! Not bindings generated for each version, as py-spy has them: the offsets of the few fields that are read are enough.

mod arrays;
mod budget;
mod debug_offsets;
mod find;
pub(crate) mod foreign;
mod frames;
#[cfg(test)]
mod garbage;
mod lines;
mod locals;
mod objects;
mod offsets;
mod reader;
mod stacks;
mod texts;
mod threads;
mod values;
mod version;

use crashlens_core::{Address, Gaps, Module, PythonRuntime, StackEnd, Variable};

use crate::testimony::Locals;
use crate::{ProcessSnapshot, ReadMemory};
use values::ValueFormat;

/// Addresses of named things in a module of the process: from its ELF file, or from a recording.
pub trait SymbolLookup {
    /// Address in the process of the symbol `name` of `module`.
    fn symbol(&self, module: &Module, name: &str) -> Option<u64>;
    /// Address in the process and size of the section `name` of `module`.
    fn section(&self, module: &Module, name: &str) -> Option<(u64, u64)>;
    /// Whether `module` has a full symbol table (`.symtab`).
    fn has_symtab(&self, module: &Module) -> bool;
}

/// What the interpreter's memory says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonState {
    /// The interpreter.
    pub runtime: PythonRuntime,
    /// Major and minor version, by which frames are matched to native ones.
    pub version: (u8, u8),
    /// Threads that have Python state, each once: a thread that runs several interpreters has the
    /// frames of all of them.
    pub threads: Vec<PythonThread>,
    /// How values are read; `None` for a version whose objects are not known.
    pub(crate) values: Option<ValueFormat>,
    /// Why values are missing, if they were asked for.
    pub(crate) locals_gap: Option<String>,
    /// `sys.getrecursionlimit()`, where it could be read.
    pub recursion_limit: Option<u64>,
}

impl PythonState {
    /// The variables of all frames, to be kept.
    pub(crate) fn locals(&self) -> Locals {
        let of_thread = |thread: &PythonThread| {
            let frames = thread.frames.iter().map(|frame| frame.locals.clone());
            Some((thread.thread?, frames.collect()))
        };
        self.threads.iter().filter_map(of_thread).collect()
    }

    /// Gives all frames the variables that were kept.
    pub(crate) fn restore_locals(&mut self, kept: &Locals) {
        for thread in &mut self.threads {
            let kept = thread.thread.and_then(|id| kept.get(&id));
            let kept = kept.map(Vec::as_slice).unwrap_or_default();
            for (frame, locals) in thread.frames.iter_mut().zip(kept) {
                frame.locals.clone_from(locals);
            }
        }
    }
}

/// One Python thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonThread {
    /// Kernel thread id; `None` when no thread of the process matches.
    pub thread: Option<u32>,
    /// Whether it held the interpreter lock; `None` when that could not be read.
    pub holds_gil: Option<bool>,
    /// Frames, innermost first.
    pub frames: Vec<RawPythonFrame>,
    /// Frames that were passed over in the middle of a very deep stack.
    pub elided: Option<Elision>,
    /// Why there are no more.
    pub end: StackEnd,
}

/// The middle of a stack that is too deep to keep whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elision {
    /// How many kept frames are inside of it: the index in [`PythonThread::frames`] of the next one.
    pub after: usize,
    /// Frames left out.
    pub frames: usize,
    /// How many of them are entries.
    pub entries: usize,
}

/// A Python frame as the interpreter records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawPythonFrame {
    /// `co_filename`.
    pub file: String,
    /// Line being executed.
    pub line: Option<u32>,
    /// `co_qualname`, or `co_name` before 3.11.
    pub function: String,
    /// Whether the native evaluation function was entered for this frame: one native evaluation
    /// frame runs all frames from the innermost up to and including the next entry.
    pub is_entry: bool,
    /// For an entry, an address inside the machine stack frame of the evaluation that runs it (3.10 and
    /// later): it tells the native frame even where that has no name.
    pub evaluation: Option<Address>,
    /// Arguments and local variables, where they were asked for and the frame is on the path of the crash.
    pub locals: Vec<Variable>,
}

/// Reads all Python stacks. `None` for a process without an interpreter.
///
/// Values are read through `confidential`, which records nothing; without it they are not read.
pub fn read(
    memory: &dyn ReadMemory,
    modules: &[Module],
    symbols: &dyn SymbolLookup,
    snapshot: &ProcessSnapshot,
    confidential: Option<&dyn ReadMemory>,
    gaps: &mut Gaps,
) -> Option<PythonState> {
    reader::read(memory, modules, symbols, snapshot, confidential, gaps)
}

/// Reads whatever objects `memory` has at some addresses, in every way there is.
pub(crate) fn every_value(memory: &dyn ReadMemory, snapshot: &ProcessSnapshot, version: (u8, u8)) {
    values::read_everything(memory, snapshot, version);
}

/// Reads `bytes` as the contents of every kind of array.
pub(crate) fn every_kind_of_array(bytes: &[u8]) {
    arrays::every_kind(bytes);
}

/// Reads `bytes` as a line table of each encoding.
pub(crate) fn every_line_format(bytes: &[u8]) {
    use offsets::LineFormat::{Locations, Ranges, SignedIncrements, UnsignedIncrements};
    let offset = bytes.first().map_or(0, |byte| i64::from(*byte) * 8);
    for format in [UnsignedIncrements, SignedIncrements, Ranges, Locations] {
        lines::line_at(format, bytes, 1, offset);
    }
}
