//! The facts of a process's death, and what is concluded from them.
//!
//! This crate holds data and judgement only. It never looks at the machine it runs on: the same
//! capture gives the same report on any host. Facts come from `crashlens-trace` (a live process)
//! and `crashlens-unwind` (stacks); words for people are chosen in the `crashlens` binary.
#![forbid(unsafe_code)]

pub mod capture;
pub mod culprit;
pub mod report;

pub use capture::{
    Address, CaptureFile, CrashCapture, Ending, EndingKind, Environment, Fault, Frame, FrameTrust,
    Gap, GapId, Gaps, Host, Limit, Mapping, MemoryGroup, Module, NativeFrame, Observed, Output,
    Package, Process, PythonFrame, PythonRuntime, Registers, Role, Signal, SourceLine, StackEnd,
    Tail, Thread, ThreadRole,
};
pub use culprit::{Culprit, CulpritThread, PythonLine};
pub use report::{Death, Report, Run};
