//! Every system call of the project that Rust cannot check, each behind a safe function.
#![expect(
    unsafe_code,
    reason = "the one place where the kernel is spoken to directly"
)]

use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use libc::c_int;
use nix::errno::Errno;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

/// Starts `run` in a process of its own that is nobody's child, so that it outlives its maker and
/// no `waitpid(-1)` ever meets it. When `run` returns, that process ends.
///
/// Call it before any thread is started: only the calling thread exists in the new process, and a
/// lock that another thread held at this moment stays locked there for ever. `run` should not
/// allocate for the same reason.
pub(crate) fn fork_detached(run: impl FnOnce()) -> Result<(), Errno> {
    // SAFETY: the child uses only the calling thread's own state and ends in `_exit`.
    match unsafe { fork() }? {
        ForkResult::Child => {
            let mut end = EndOfProcess(0);
            // SAFETY: as above.
            match unsafe { fork() } {
                Ok(ForkResult::Child) => run(),
                Ok(ForkResult::Parent { .. }) => {}
                Err(errno) => end.0 = errno as c_int,
            }
            drop(end);
            Ok(())
        }
        ForkResult::Parent { child } => first_child_ended(child),
    }
}

fn first_child_ended(child: Pid) -> Result<(), Errno> {
    loop {
        match waitpid(child, None) {
            Ok(WaitStatus::Exited(_, 0)) => return Ok(()),
            Ok(WaitStatus::Exited(_, errno)) => return Err(Errno::from_raw(errno)),
            Ok(WaitStatus::Signaled(..)) => return Err(Errno::ECHILD),
            // With SIGCHLD ignored (inherited from some service managers) the kernel reaps by itself.
            Err(Errno::ECHILD) => return Ok(()),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Ends the process when dropped, also when a panic unwinds: a forked copy must never return into
/// the code of its maker.
struct EndOfProcess(c_int);

impl Drop for EndOfProcess {
    fn drop(&mut self) {
        // SAFETY: `_exit` has no preconditions; it runs no handlers and flushes nothing.
        unsafe { libc::_exit(self.0) }
    }
}

/// Closes every file descriptor of this process except `keep`.
///
/// Only for a process that was just forked and whose other descriptors nobody owns any more.
pub(crate) fn close_all_except<const N: usize>(mut keep: [RawFd; N]) {
    keep.sort_unstable();
    let mut first = 0;
    for fd in keep {
        if first < fd {
            close_range(first, fd - 1);
        }
        first = first.max(fd.saturating_add(1));
    }
    close_range(first, RawFd::MAX);
}

fn close_range(first: RawFd, last: RawFd) {
    // SAFETY: the callers own no descriptor in the range, or give up owning it.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
    if result == 0 {
        return;
    }
    // Before Linux 5.9, and under seccomp filters that do not know the call, one by one. Numbers
    // above the usual hard limit of such systems are not looked for.
    for fd in first..=last.min(65_536) {
        // SAFETY: as above.
        unsafe { libc::close(fd) };
    }
}

/// Waits until one of the streams is ready for its events, and says for each what it is ready for
/// (0 for nothing, or for a stream that was not given). A negative `timeout` waits for ever.
pub(crate) fn poll<const N: usize>(
    streams: [Option<(BorrowedFd<'_>, i16)>; N],
    timeout_milliseconds: c_int,
) -> Result<[i16; N], Errno> {
    // The kernel passes over entries with a negative descriptor.
    let mut entries = streams.map(|stream| match stream {
        Some((fd, events)) => libc::pollfd {
            fd: fd.as_raw_fd(),
            events,
            revents: 0,
        },
        None => libc::pollfd {
            fd: -1,
            events: 0,
            revents: 0,
        },
    });
    // SAFETY: the pointer and the count describe `entries`, which lives through the call.
    let result = unsafe {
        libc::poll(
            entries.as_mut_ptr(),
            N as libc::nfds_t,
            timeout_milliseconds,
        )
    };
    Errno::result(result)?;
    Ok(entries.map(|entry| entry.revents))
}

/// The size of a terminal's window.
pub(crate) fn window_size(terminal: BorrowedFd<'_>) -> Result<libc::winsize, Errno> {
    let mut size = libc::winsize {
        ws_row: 0,
        ws_col: 0,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: TIOCGWINSZ writes one `winsize` through the pointer, which is valid for it.
    let result = unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCGWINSZ, &raw mut size) };
    Errno::result(result)?;
    Ok(size)
}

/// Sets the size of a terminal's window.
pub(crate) fn set_window_size(terminal: BorrowedFd<'_>, size: libc::winsize) -> Result<(), Errno> {
    // SAFETY: TIOCSWINSZ reads one `winsize` through the pointer, which is valid for it.
    let result = unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) };
    Errno::result(result).map(drop)
}
