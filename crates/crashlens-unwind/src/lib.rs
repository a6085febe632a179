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
