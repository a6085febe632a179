#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod abort_message;
mod arch;
mod cfi;
pub mod core_file;
mod errno;
mod exception;
mod fatal_log;
mod fault;
mod files;
mod frameworks;
#[doc(hidden)]
pub mod fuzzing;
mod glance;
mod image;
mod memory;
mod merge;
mod native;
pub mod python;
mod recording;
mod roles;
mod snapshot;
mod source;
mod stack_words;
mod stacks;
mod symbols;
mod testimony;
mod text;

pub use core_file::{CoreError, CoreFile, CoreMemory};
pub use files::{FileBytes, Files, NoFiles};
pub use glance::{glance, read_sources, steady};
pub use memory::{ReadMemory, Unreadable};
pub use recording::{RecordedMemory, RecordingError};
pub use snapshot::{
    EarlierMapping, MappedFile, ProcessSnapshot, SignalAtFault, ThreadState, Witnessed,
};
pub use stacks::{Reading, Stacks, Walked, replay, walk};
