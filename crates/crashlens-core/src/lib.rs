#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[macro_use]
mod words;

pub mod book;
pub mod capture;
pub mod cause;
mod compatibility;
pub mod contexts;
mod cuda;
pub mod culprit;
mod demangle;
pub mod diagnosis;
mod embedded;
pub mod evidence;
pub mod facts;
pub mod files;
#[cfg(test)]
mod fixtures;
pub mod frameworks;
#[doc(hidden)]
pub mod fuzzing;
#[cfg(test)]
mod graded;
pub mod hazard;
pub mod inspection;
pub mod known_issues;
mod known_versions;
mod lineage;
mod messages;
pub mod pasted;
mod phase;
pub mod remedy;
pub mod report;
pub mod rule;
mod rules;
#[cfg(test)]
mod sample;
pub mod secrets;
pub mod shell;
mod signs;
pub mod survey;
pub mod text;

pub use capture::*;
pub use cause::Cause;
pub use culprit::{Culprit, CulpritThread, PythonLine};
pub use demangle::demangle;
pub use frameworks::tensorflow::operations;
pub use inspection::Inspection;
pub use report::{Death, Report, Run};
pub use survey::Survey;
