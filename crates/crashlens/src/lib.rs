//! The command line of crashlens: arguments, reports, exit statuses.
//!
//! The only crate that prints or exits. Facts come from `crashlens-trace`, what they mean from
//! `crashlens-core`; here they get words and a place to go.
#![forbid(unsafe_code)]

mod aftermath;
mod cache_folder;
mod cli;
mod commands;
mod duration;
mod exit_status;
mod failure;
mod harmless;
mod hook;
mod interpreter;
mod invocation;
mod reference;
mod report;
mod rule_pages;
mod saved;
mod watcher;

pub use exit_status::ExitStatus;
pub use invocation::invoke;
pub use reference::command;
