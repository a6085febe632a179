//! A second courier that waits, and goes on when the first one is killed.
//!
//! Without it, killing the courier would take the program's standard error away, and the program would die of SIGPIPE at
//! its next line. What the first had taken in and not yet passed on is lost with it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, pipe2, read, setpgid, write};

use crate::sys;

/// The line to the one that stands by: it ends with us.
pub(super) struct Standby {
    line: Option<OwnedFd>,
}

/// Who we are after a second courier was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// The one that carries, as before.
    Carrying,
    /// The second, and the first is dead.
    TookOver,
    /// The second, and there is nothing left to do.
    Over,
}

impl Standby {
    pub(super) fn none() -> Self {
        Self { line: None }
    }

    /// Breaks when the second is killed.
    pub(super) fn line(&self) -> Option<BorrowedFd<'_>> {
        self.line.as_ref().map(AsFd::as_fd)
    }

    /// Lets another copy of this process stand by, in which this call returns when it is needed. Where none can be had, we
    /// go on alone.
    pub(super) fn renew(&mut self) -> Turn {
        let mut turn = Turn::Carrying;
        loop {
            self.line = None;
            // The one before, where it was killed.
            while waitpid(None, Some(WaitPidFlag::WNOHANG)).is_ok_and(|it| it.pid().is_some()) {}
            let Ok((waits, line)) = pipe2(OFlag::O_CLOEXEC) else {
                return turn;
            };
            // One that could not be dismissed would take over from one that is done, and so would the next, for ever.
            if write(&line, b".").is_err() || !is_dismissed(&waits) {
                return turn;
            }
            match sys::fork_single() {
                Ok(true) => drop(line),
                Ok(false) => {
                    self.line = Some(line);
                    return turn;
                }
                // Without a reader the line would be broken from the start.
                Err(_) => return turn,
            }
            // A signal to the group of the first does not mean this one.
            let _ = setpgid(Pid::from_raw(0), Pid::from_raw(0));
            if is_dismissed(&waits) {
                return Turn::Over;
            }
            turn = Turn::TookOver;
        }
    }

    /// Lets the second end: the work is done.
    pub(super) fn dismiss(&mut self) {
        if let Some(line) = self.line.take() {
            let _ = write(line, b".");
        }
    }
}

/// Waits for the first to end; whether it had done its work.
fn is_dismissed(waits: &OwnedFd) -> bool {
    loop {
        match read(waits, &mut [0]) {
            Ok(count) => return count > 0,
            Err(Errno::EINTR) => {}
            // There is nothing to wait with.
            Err(_) => return true,
        }
    }
}
