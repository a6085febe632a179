//! Reads Python environments on disk: interpreters, packages, ELF files, what the loader would make of them.
//!
//! States facts ([`crashlens_core::Survey`]); rules in `crashlens-core` judge them. Nothing is run or imported, and
//! whatever is read is bounded in size, count, depth and time: a folder of packages is somebody else's data.
#![forbid(unsafe_code)]

pub mod bounded;
mod cache;
mod crew;
pub mod distribution;
pub mod elf;
#[doc(hidden)]
pub mod fuzzing;
mod gpu;
mod interpreter;
mod links;
mod loader;
mod native;
mod site;
mod survey;
mod tensorflow;

pub use links::links;
pub use survey::{Progress, Question, Silent, SurveyError, survey};
