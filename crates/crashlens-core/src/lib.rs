//! The facts of a process's death, and what is concluded from them.
//!
//! This crate holds data and judgement only. It never looks at the machine it runs on: the same
//! capture gives the same report on any host. Facts come from `crashlens-trace` (a live process)
//! and `crashlens-unwind` (stacks); words for people are chosen in the `crashlens` binary.
#![forbid(unsafe_code)]

pub mod capture;
pub mod culprit;
#[doc(hidden)]
pub mod fuzzing;
mod lineage;
mod messages;
mod phase;
pub mod report;
#[cfg(test)]
mod sample;
pub mod secrets;

pub use capture::*;
pub use culprit::{Culprit, CulpritThread, PythonLine};
pub use report::{Death, Report, Run};
