#![doc = include_str!("../README.md")]

mod agenda;
mod arch;
mod attach;
mod ballast;
mod calls;
mod capture;
mod core;
mod deaths;
mod degraded;
mod ending;
mod enquiry;
mod error;
mod event;
mod faulthandler;
mod faults;
mod freeze;
#[doc(hidden)]
pub mod fuzzing;
mod host;
#[doc(hidden)]
pub mod injection;
mod interruption;
mod kernel_log;
mod lineage;
mod live_files;
mod live_memory;
mod machine;
mod map_history;
mod oom;
mod outcome;
mod output;
mod own_limits;
mod packages;
mod parent;
mod procfs;
mod progress;
mod resources;
mod run;
mod siginfo;
mod spawn;
mod starters;
mod status;
mod supervisor;
mod sys;
mod timeline;
mod tracee;
mod waker;
mod watch;
mod witness;

pub use attach::{attach, command_of, look_at};
pub use core::{CoreReadError, DiskFiles, read_core};
pub use ending::end_by;
pub use error::SuperviseError;
pub use machine::machine;
pub use outcome::{Attached, Hang, Observer, Options, Outcome, Supervision};
pub use run::supervise;
