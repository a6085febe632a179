//! The interpreter's own stacks, read from its memory.

use crashlens_core::{Gaps, Module, PythonRuntime, StackEnd};

use crate::{ReadMemory, ThreadState};

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
    /// Threads that have Python state.
    pub threads: Vec<PythonThread>,
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
    /// Why there are no more.
    pub end: StackEnd,
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
}

/// Reads all Python stacks. `None` for a process without an interpreter.
pub fn read(
    _memory: &dyn ReadMemory,
    _modules: &[Module],
    _symbols: &dyn SymbolLookup,
    _threads: &[ThreadState],
    _gaps: &mut Gaps,
) -> Option<PythonState> {
    None
}
