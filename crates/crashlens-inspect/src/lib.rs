#![doc = include_str!("../README.md")]
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
pub use survey::{Loaded, Progress, Question, Silent, SurveyError, survey};
