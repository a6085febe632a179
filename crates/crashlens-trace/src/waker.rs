//! A process that continues crashlens when crashlens is stopped and needed.
//!
//! When the program stops, crashlens stops too, so that its parent sees what it would see of the program. But a
//! process that is traced by a stopped tracer cannot go on: a SIGCONT sent to the program itself would have no
//! effect, and a worker that forks would wait. While crashlens is stopped, this process therefore looks a few times
//! per second whether a tracee waits for crashlens, and continues crashlens if one does. The kernel offers no way to wait
//! for that: only the tracer is notified, and its SIGCHLD stays pending.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::poll::PollFlags;
use nix::sys::signal::SigSet;
use nix::unistd::{Pid, setpgid};

use crate::poll::poll;
use crate::{calls, sys};

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// How long its end is waited for: it may be stopped itself.
const END_PATIENCE: Duration = Duration::from_secs(1);

/// The process that continues us. It ends when this is dropped, and when crashlens is killed.
#[derive(Debug)]
pub(crate) struct Waker {
    pid: u32,
    line: UnixStream,
}

impl Waker {
    /// Starts it. It has begun to look when this returns.
    pub(crate) fn start() -> std::io::Result<Self> {
        let status = calls::open("/proc/self/status")?;
        let (mut line, far_end) = UnixStream::pair()?;
        far_end.set_nonblocking(true)?;
        let tracer = std::process::id();
        sys::fork_detached(|| stand_by(&far_end, &status, tracer))?;
        drop(far_end);
        let mut pid = [0; 4];
        line.read_exact(&mut pid)?;
        Ok(Self {
            pid: u32::from_ne_bytes(pid),
            line,
        })
    }

    /// Ends it, and gives its id, by which its SIGCONT is recognized. It sends none afterwards.
    pub(crate) fn end(mut self) -> u32 {
        let _ = self.line.set_read_timeout(Some(END_PATIENCE));
        let _ = self.line.shutdown(Shutdown::Write);
        // Its side of the line is closed when it has ended.
        let _ = self.line.read(&mut [0]);
        self.pid
    }
}

/// Allocates nothing: see [`sys::fork_detached`].
fn stand_by(line: &UnixStream, status: &File, tracer: u32) {
    // A stop of the whole job must not stop this process too.
    let _ = SigSet::all().thread_block();
    let _ = setpgid(Pid::from_raw(0), Pid::from_raw(0));
    let _ = nix::sys::prctl::set_name(c"crashlens-waker");
    sys::close_all_except([line.as_raw_fd(), status.as_raw_fd()]);
    let mut line_to_tracer = line;
    if line_to_tracer
        .write_all(&std::process::id().to_ne_bytes())
        .is_err()
    {
        return;
    }
    let mut text = [0; 4096];
    loop {
        let _ = poll([Some((line.as_fd(), PollFlags::POLLIN))], Some(PAUSE));
        // Nothing is ever sent here. At the end of the line, this process was dropped or crashlens was killed.
        let sent = line_to_tracer.read(&mut [0]).map_err(|it| it.kind());
        if !matches!(sent, Err(ErrorKind::WouldBlock | ErrorKind::Interrupted)) {
            return;
        }
        let Ok(count) = status.read_at(&mut text, 0) else {
            return;
        };
        // Not before it is stopped: the stop would take the SIGCONT back.
        if is_stopped_and_needed(&text[..count]) {
            let _ = sys::kill(tracer, libc::SIGCONT);
        }
    }
}

/// Whether the process with this `/proc/ID/status` is stopped and has been sent a SIGCHLD since.
fn is_stopped_and_needed(status: &[u8]) -> bool {
    let field = |name: &[u8]| {
        let mut lines = status.split(|byte| *byte == b'\n');
        lines
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or(b"")
    };
    let pending = std::str::from_utf8(field(b"ShdPnd:\t")).unwrap_or("");
    let pending = u64::from_str_radix(pending, 16).unwrap_or(0);
    field(b"State:\t").starts_with(b"T") && pending >> (libc::SIGCHLD - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_stopped_process_with_a_pending_sigchld_is_needed() {
        let status = |state, pending| format!("Name:\tx\nState:\t{state}\nShdPnd:\t{pending}\n");
        for (state, pending, needed) in [
            ("T (stopped)", "0000000000010000", true),
            ("T (stopped)", "0000000000020000", false),
            ("S (sleeping)", "0000000000010000", false),
            ("T (stopped)", "", false),
        ] {
            let text = status(state, pending);
            assert_eq!(is_stopped_and_needed(text.as_bytes()), needed, "{text}");
        }
        assert!(!is_stopped_and_needed(b""));
    }
}
