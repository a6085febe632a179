//! Stops of the program, which the parent of crashlens sees as those of its own child.

use nix::sys::signalfd::siginfo;
use nix::unistd::{Pid, getpgid};

use super::{Aim, Supervisor};
use crate::siginfo::is_from_process;
use crate::sys;

impl Supervisor<'_> {
    /// A thread of the tree was stopped by a stop signal. If it is the program, crashlens stops too, once everything
    /// that has happened so far is answered: a process that waits for an answer would wait as long as crashlens is stopped.
    pub(super) fn stopped_by(&mut self, thread: u32, signal: i32) {
        // Each thread of the program reports the stop; the first report is enough.
        if self.aim != Aim::Run || thread != self.main {
            return;
        }
        // A SIGCONT from before the stop is not to undo it, as it would if it were found afterwards.
        while let Some(info) = self.watch.take_continuation() {
            self.continued(&info);
        }
        self.main_stands_still = true;
        // The terminal stops one job, which a program may have left. SIGSTOP is seen by the
        // parent whatever the group.
        let same_job = || getpgid(Some(Pid::from_raw(self.main as i32))) == getpgid(None);
        if signal == libc::SIGSTOP || same_job() {
            self.stop_due = Some(signal);
        }
    }

    /// Stops crashlens if that is due. Returns when it is continued.
    pub(super) fn stop_if_due(&mut self) {
        let Some(signal) = self.stop_due.take().filter(|_| self.main_stands_still) else {
            return;
        };
        if self.watch.stop_with(signal) {
            self.stop_due = Some(signal);
        }
        // Before anything else is answered, after which the program may have gone on and stopped again.
        while let Some(info) = self.watch.take_continuation() {
            self.continued(&info);
        }
    }

    /// crashlens received SIGCONT.
    pub(super) fn continued(&mut self, info: &siginfo) {
        self.stop_due = None;
        if !is_from_process(info.ssi_code) {
            return;
        }
        if self.main_stands_still {
            // A second SIGCONT, where the program got one too, is the same to the kernel until the first is received.
            let _ = sys::kill(self.main, libc::SIGCONT);
        } else {
            self.forward(libc::SIGCONT, info.ssi_pid);
        }
    }
}
