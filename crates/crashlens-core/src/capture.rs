//! `CrashCapture`: everything that was observed of one process's death.
//!
//! Facts only. What they mean is decided elsewhere; what could not be observed is a [`Gap`].

mod address;
mod circumstances;
mod ending;
mod environment;
mod fault;
mod format;
mod gap;
mod host;
mod limiter;
mod message;
mod module;
mod output;
mod phase;
mod registers;
mod stack;
mod testimony;
mod value;

pub use address::Address;
pub use circumstances::{
    Circumstances, Lineage, MemorySample, OomEvidence, Origin, Parent, Program, Resource,
    ResourceUse, ThreadStarter, Timeline, TopLine, Worker,
};
pub use ending::{Ending, EndingKind, Fault, Signal};
pub use environment::{Environment, PythonRuntime};
pub use fault::{
    Access, AccessKind, Division, FaultSite, Instruction, Place, RegisterValue, StackUse,
};
pub use format::{CaptureFile, FormatError};
pub use gap::{Gap, GapId, Gaps, Observed};
pub use host::{Host, Limit, MemoryGroup, System};
pub use limiter::{Limiter, Rlimit};
pub use message::{Message, MessageKind};
pub use module::{Mapping, Module, Package};
pub use output::{Output, Tail};
pub use phase::Phase;
pub use registers::Registers;
pub use stack::{
    Frame, FrameTrust, NativeFrame, PythonFrame, SourceLine, StackEnd, Thread, ThreadRole,
};
pub use testimony::{
    CppException, ExceptionState, ForeignApi, ForeignArgument, ForeignCall, PointerTarget,
    RunningOp, Testimony,
};
pub use value::{Array, ArrayKind, Value, Variable};

use serde::{Deserialize, Serialize};

/// What was observed of one process that died, or that was looked at while it ran.
///
/// Fields are only ever added, each with a serde default, so that old captures open for ever.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrashCapture {
    /// Version of crashlens that made the capture.
    pub crashlens: String,
    /// Where the facts come from.
    #[serde(default)]
    pub source: CaptureSource,
    /// Which process it was.
    pub process: Process,
    /// How it ended.
    pub ending: Ending,
    /// The thread that took the fatal signal, where one did.
    pub crashed_thread: Option<u32>,
    /// Registers of the crashed thread at the fault (the first chance, where a handler re-raised).
    pub registers: Observed<Registers>,
    /// All threads, the crashed one first.
    pub threads: Vec<Thread>,
    /// Loaded ELF files.
    pub modules: Observed<Vec<Module>>,
    /// The address space.
    pub maps: Observed<Vec<Mapping>>,
    /// Interpreter, variables, limits that came with the process.
    pub environment: Environment,
    /// The machine and the control group around it.
    pub host: Host,
    /// What the program had written last.
    pub output: Output,
    /// What the memory of the process tells beyond its stacks.
    #[serde(default)]
    pub testimony: Testimony,
    /// What the supervisor and the kernel know of it.
    #[serde(default)]
    pub circumstances: Circumstances,
    /// What could not be observed. [`Observed::Unknown`] points in here.
    pub gaps: Gaps,
}

word_enum! {
    /// Where the facts of a capture come from, which says how much could be seen at all.
    #[derive(Default)]
    pub enum CaptureSource {
        /// The process itself.
        #[default]
        Process,
        /// A core file.
        Core,
        /// Text that a person had: what is in it may be cut, mixed and incomplete.
        Text,
    }
}

/// The identity of the process, with secrets removed from its command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Parent's process id; 0 when unknown.
    pub parent_pid: u32,
    /// Whether it is the program that was started or a process below it.
    pub role: Role,
    /// Its command line, masked.
    pub command: Vec<String>,
    /// The executable's path.
    pub executable: Observed<String>,
    /// The working directory.
    pub working_directory: Observed<String>,
}

/// Place of a process in the supervised tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The program that was started, or the process of a core file.
    Main,
    /// A process below it.
    Child,
}
