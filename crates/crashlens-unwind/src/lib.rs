//! Native and Python stacks from the memory of a stopped process, a core file or a recording.
//!
//! Everything here reads through [`ReadMemory`] and opens files only through [`Files`], so the same
//! code serves a live process, a core and a recording, and gives the same answer for each.
#![forbid(unsafe_code)]

pub mod files;
pub mod memory;
pub mod python;
pub mod snapshot;

pub use files::{FileBytes, Files, NoFiles};
pub use memory::{ReadMemory, Unreadable};
pub use snapshot::{ProcessSnapshot, ThreadState};

use std::time::Instant;

use crashlens_core::{Gaps, Module, Observed, PythonRuntime, Thread};

/// The stacks of a stopped process, and what else was found while reading them.
#[derive(Debug, Clone, PartialEq)]
pub struct Stacks {
    /// All threads, the crashed one first.
    pub threads: Vec<Thread>,
    /// Loaded ELF files, without their packages.
    pub modules: Vec<Module>,
    /// The interpreter.
    pub python: Observed<PythonRuntime>,
    /// What was read, in a form that [`replay`] understands.
    pub recording: Vec<u8>,
}

/// Addresses of frames, found while the process stood still, not yet named.
#[derive(Debug)]
pub struct Walked(());

/// Reads all stacks. The process must stand still until this returns, which it does soon after `deadline`.
pub fn walk(
    _snapshot: &ProcessSnapshot,
    _memory: &dyn ReadMemory,
    _files: &dyn Files,
    _deadline: Instant,
    _gaps: &mut Gaps,
) -> Walked {
    Walked(())
}

impl Walked {
    /// Names the frames. The process need not exist any more.
    pub fn name_frames(self, _files: &dyn Files, _gaps: &mut Gaps) -> Stacks {
        Stacks {
            threads: Vec::new(),
            modules: Vec::new(),
            python: Observed::Absent,
            recording: Vec::new(),
        }
    }
}
