//! The supervisor and real processes: what users would notice.
//!
//! A supervisor receives the signals of its process and so needs one of its own: the tests drive the
//! example `supervise`, which `cargo test` builds with them. They synchronise by pipes and never by time.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod attach;
mod crashes;
mod degraded;
mod exceptions;
mod exit_status;
mod failures;
mod faults;
mod first_chance;
mod foreign_calls;
mod jobs;
mod lineage;
mod memory;
mod memory_group;
mod processes;
mod signals;
mod support;
mod terminal;
mod tracers;
