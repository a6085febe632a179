//! What text says of a death on each operating system: its crash reports, its kernel's log, its own words.
//!
//! One module per system. Words for ends and messages of a system are in `data/endings.toml` and `data/messages.toml`,
//! each with its source; `data/README.md` says which table is for what.

pub(super) mod linux;
pub(super) mod macos;
pub(super) mod windows;
