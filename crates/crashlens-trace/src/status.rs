//! The parts of `/proc/ID/status` by which the supervisor decides.

use std::io;

use crashlens_core::Signal;
use procfs_core::FromRead;
use procfs_core::process::Status;

use crate::calls;

/// The kernel's own account of one thread.
#[derive(Debug)]
pub(crate) struct ThreadStatus(Status);

impl ThreadStatus {
    /// Reads the account of a thread or process.
    pub(crate) fn read(thread: u32) -> io::Result<Self> {
        let file = calls::open(format!("/proc/{thread}/status"))?;
        Status::from_read(io::BufReader::new(file))
            .map(Self)
            .map_err(io::Error::other)
    }

    /// The process the thread belongs to.
    pub(crate) fn process(&self) -> u32 {
        self.0.tgid as u32
    }

    /// The process that waits for its end.
    pub(crate) fn parent(&self) -> u32 {
        self.0.ppid as u32
    }

    /// The ids by which the process knows itself: here, and in its own namespace.
    pub(crate) fn own_ids(&self) -> Vec<u32> {
        let inner = self.0.nstgid.iter().flatten().map(|id| *id as u32);
        inner.chain([self.process()]).collect()
    }

    /// Whether its process is the first of a container: number 1 in its own namespace.
    pub(crate) fn is_in_first_process(&self) -> bool {
        self.own_ids().contains(&1)
    }

    /// The thread that traces it.
    pub(crate) fn tracer(&self) -> Option<u32> {
        (self.0.tracerpid > 0).then_some(self.0.tracerpid as u32)
    }

    /// Whether this thread traces it.
    pub(crate) fn is_traced_by_us(&self) -> bool {
        self.tracer()
            .is_some_and(|tracer| tracer == std::process::id())
    }

    /// Whether it has ended and only waits to be reaped.
    pub(crate) fn has_ended(&self) -> bool {
        self.0.state.starts_with(['Z', 'X'])
    }

    /// Whether a signal has stopped it. Of a thread that is traced, and not held by us, that is a tracing stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.0.state.starts_with(['T', 't'])
    }

    /// Whether the signal's default action would be taken: no handler, not ignored.
    pub(crate) fn takes_default_action(&self, signal: Signal) -> bool {
        !in_set(self.0.sigcgt | self.0.sigign, signal)
    }

    /// Whether the signal has been sent to the thread or its process and is still to be received.
    pub(crate) fn is_pending(&self, signal: Signal) -> bool {
        in_set(self.0.sigpnd | self.0.shdpnd, signal)
    }

    /// Whether it has this capability in force.
    pub(crate) fn is_capable(&self, capability: u32) -> bool {
        self.0.capeff.checked_shr(capability).unwrap_or(0) & 1 == 1
    }

    /// The user and group it acts as.
    pub(crate) fn effective_ids(&self) -> (u32, u32) {
        (self.0.euid, self.0.egid)
    }

    /// Whether no program it starts gains privileges (`no_new_privs`).
    pub(crate) fn cannot_gain_privileges(&self) -> bool {
        self.0.nonewprivs == Some(1)
    }

    /// Whether a core file is being written at this moment.
    pub(crate) fn is_dumping_core(&self) -> bool {
        self.0.core_dumping == Some(true)
    }
}

fn in_set(set: u64, signal: Signal) -> bool {
    u32::try_from(signal.0 - 1).is_ok_and(|bit| set.checked_shr(bit).unwrap_or(0) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_found_in_their_set() {
        assert!(in_set(0x400, Signal::SEGV));
        assert!(!in_set(0x200, Signal::SEGV));
        assert!(in_set(1 << 63, Signal(64)));
        assert!(!in_set(u64::MAX, Signal(0)));
        assert!(!in_set(u64::MAX, Signal(65)));
    }

    #[test]
    fn the_own_process_can_be_read() {
        let status = ThreadStatus::read(std::process::id()).unwrap();
        assert_eq!(status.process(), std::process::id());
        assert!(status.own_ids().contains(&std::process::id()));
        assert!(!status.is_dumping_core());
    }
}
