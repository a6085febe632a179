//! Threads and their stacks.

use serde::{Deserialize, Serialize};

use super::{Address, Variable};

/// One thread of the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Kernel thread id.
    pub id: u32,
    /// Name as the kernel has it (`comm`, at most 15 bytes).
    pub name: String,
    /// What the thread is for, as far as its stack shows.
    pub role: ThreadRole,
    /// Whether it took the fatal signal.
    pub crashed: bool,
    /// Whether it held Python's global interpreter lock; `None` when that could not be read.
    pub holds_gil: Option<bool>,
    /// Whether this thread was blocked waiting for work that the crashed thread was doing.
    #[serde(default)]
    pub waits_for_crashed: bool,
    /// Frames, innermost first, Python frames in their native places.
    pub frames: Vec<Frame>,
    /// Why the stack is as short as it is.
    pub end: StackEnd,
}

/// What a thread is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ThreadRole {
    /// The first thread of the process.
    Main,
    /// Another thread that runs Python code.
    Python,
    /// A worker of a tf.data pipeline.
    #[serde(rename = "tf.data")]
    TfData,
    /// A worker of a thread pool.
    Pool,
    /// None of these, or unknown.
    Other,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Frame {
    /// Machine code.
    Native(NativeFrame),
    /// A Python function.
    Python(PythonFrame),
}

/// A frame of machine code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NativeFrame {
    /// Where execution was, or is to return to.
    pub address: Address,
    /// File name of the module, when the address is in one.
    pub library: Option<String>,
    /// Full path of the module.
    pub path: Option<String>,
    /// Offset of the address in the module, comparable between runs.
    pub module_offset: Option<Address>,
    /// Demangled function.
    pub function: Option<String>,
    /// Offset of the address in the function.
    pub function_offset: Option<u64>,
    /// Source line, where there is debug information.
    pub source: Option<SourceLine>,
    /// Whether the compiler expanded this function into its caller.
    #[serde(default)]
    pub inlined: bool,
    /// How the frame was found.
    pub trust: FrameTrust,
}

/// A line of native source code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceLine {
    /// File, as the compiler wrote it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// A frame of Python code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PythonFrame {
    /// File, as the interpreter has it.
    pub file: String,
    /// Line, from 1; `None` when the line table could not be read.
    pub line: Option<u32>,
    /// Function name, qualified where the interpreter knows it (3.11 and later).
    pub function: String,
    /// The text of the line, where the file could be read.
    pub source: Option<String>,
    /// How the frame was placed: [`FrameTrust::Interpreter`] when matched to its native frame.
    pub trust: FrameTrust,
    /// Arguments and local variables, read on the path of the crash only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locals: Vec<Variable>,
}

word_enum! {
    /// How a frame was found, best first.
    pub enum FrameTrust {
        /// The registers of the stopped thread.
        Registers,
        /// Unwind tables of the module.
        CallFrameInfo,
        /// The interpreter's own records, at the native frame that runs them.
        Interpreter,
        /// The return address a call to a bad target left on the stack.
        CallTarget,
        /// The chain of frame pointers: right where code keeps them.
        FramePointer,
        /// A word on the stack that looks like a return address: a guess.
        Scan,
        /// The interpreter's own records, without a native frame to attach them to.
        Unplaced,
    }
}

/// Why a stack ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum StackEnd {
    /// The thread's first frame was reached.
    Complete,
    /// Memory that was needed could not be read.
    Unreadable {
        /// Where.
        address: Address,
    },
    /// The stack led back to itself.
    Loop,
    /// As many frames as we ever read.
    DepthLimit,
    /// No way to find the caller: no unwind tables, and nothing plausible on the stack.
    Lost,
    /// The time allowed for reading ran out.
    TimeLimit,
    /// The thread could not be stopped or its registers not be read.
    NotStopped,
}
