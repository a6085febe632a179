//! What a process used of everything that is limited.
//!
//! One entry for each limit that could be read, with what was used of it. Whether it was too little is judged
//! elsewhere. Limits that are not set have no entry; [`crashlens_core::Environment::limits`] lists them all.

mod disks;
mod groups;
mod rlimits;

use std::path::Path;

use crashlens_core::{Limit, Limiter, Resource, ResourceUse, Rlimit};

use crate::enquiry::Line;

pub(crate) use disks::file_system;
pub(crate) use groups::{Baseline, uses as group_uses};
pub(crate) use rlimits::{processor_ticks, tasks_of_user};

/// What is known of the process already.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    /// Its limits, from `/proc/PID/limits`.
    pub(crate) limits: &'a [Limit],
    /// Its working directory, for the reader's eyes.
    pub(crate) working_directory: Option<&'a str>,
    /// Its folder for temporary files.
    pub(crate) temporary: Option<&'a str>,
}

/// Reads everything that the living or stopped process `pid` used.
pub(crate) fn read(pid: u32, known: Known<'_>, before: &Baseline) -> Vec<ResourceUse> {
    let disks = disks::Survey::start(pid, known.working_directory, known.temporary);
    let root = Path::new("/");
    let mut uses = group_uses(root, pid, before);
    uses.extend(rlimits::uses(root, pid, known.limits));
    uses.extend(disks.finish());
    uses
}

/// The kernel raises the soft limit of processor time by a second when it sends SIGXCPU for it: the one that was
/// met is the one before.
pub(crate) fn undo_raised_cpu_limit(uses: &mut [ResourceUse]) {
    for entry in uses
        .iter_mut()
        .filter(|entry| entry.set_by == Limiter::Process(Rlimit::Cpu))
    {
        entry.limit = entry.limit.and_then(|limit| limit.checked_sub(1));
        entry.met = Some(1);
    }
}

/// Completes the entry of the limit of a file's size with the size that the file had which thread `pid` was
/// writing to.
pub(crate) fn note_written_file(uses: &mut [ResourceUse], pid: u32, descriptor: u64) {
    static LINE: Line = Line::new();
    let facts = LINE.ask(move |answers| {
        if let Ok(facts) = std::fs::metadata(format!("/proc/{pid}/fd/{descriptor}")) {
            let _ = answers.send(facts);
        }
    });
    let mut files = facts.answers().filter(std::fs::Metadata::is_file);
    let size = files.next().map(|file| file.len());
    for entry in uses {
        if entry.resource == Resource::FileSize {
            entry.used = size;
        }
    }
}
