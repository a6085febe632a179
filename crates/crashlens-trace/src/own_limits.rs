//! Limits on crashlens itself, which are meant for the program.
//!
//! `ulimit -v 50000` before a run is there to keep the program small. It also applies to crashlens, which must still
//! have the memory and the files for a report. A soft limit can be raised as far as the hard limit, and by root further; the
//! program gets both back before it starts.

use libc::rlim_t;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};

use crate::sys;

/// What crashlens needs, and what would end it. Not the stack: the kernel decides with its limit, when a program
/// starts, where everything else goes.
const RAISED: [Resource; 5] = [
    Resource::RLIMIT_AS,
    Resource::RLIMIT_DATA,
    Resource::RLIMIT_FSIZE,
    Resource::RLIMIT_CPU,
    Resource::RLIMIT_NOFILE,
];

/// A limit that the program is to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    resource: Resource,
    soft: rlim_t,
    hard: rlim_t,
}

impl Limit {
    /// Puts it in force for this process.
    pub(crate) fn set(&self) -> nix::Result<()> {
        setrlimit(self.resource, self.soft, self.hard)
    }

    /// Raises it for this process, and says whether anything changed.
    fn is_raised(&self) -> bool {
        let as_root = self.hard < RLIM_INFINITY
            && setrlimit(self.resource, RLIM_INFINITY, RLIM_INFINITY).is_ok();
        as_root || self.soft < self.hard && setrlimit(self.resource, self.hard, self.hard).is_ok()
    }
}

/// Raises the limits of this process as far as may be, and gives those that were raised as they were before.
pub(crate) fn raise() -> Vec<Limit> {
    sys::survive_file_size_limit();
    let known = RAISED.into_iter().filter_map(|resource| {
        let (soft, hard) = getrlimit(resource).ok()?;
        Some(Limit {
            resource,
            soft,
            hard,
        })
    });
    known.filter(Limit::is_raised).collect()
}
