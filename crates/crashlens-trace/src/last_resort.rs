//! What is done where crashlens itself has no memory left: the program goes on, and crashlens ends as it ends.
//!
//! A limit on memory that is meant for the program applies to crashlens too, and [`own_limits`](crate::own_limits) cannot
//! always raise it. Rust ends a process that has no memory with SIGABRT; the parent would see that and not how the program ended.
//! Nothing here allocates.

use std::io::Write as _;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use nix::errno::Errno;

use crate::ending::end_by;
use crate::event::{Event, decode_event};
use crate::{calls, sys};

/// The status that is returned where crashlens fails before the program has ended.
const FAILED: i32 = 125;
/// No wait status.
const NOT_ENDED: i32 = -1;

/// The thread that traces; 0 before it does.
static TRACER: AtomicU32 = AtomicU32::new(0);
/// The process whose end is to be ours; 0 if there is none.
static MAIN: AtomicU32 = AtomicU32::new(0);
/// How it ended.
static STATUS: AtomicI32 = AtomicI32::new(NOT_ENDED);

/// From now on this thread traces `main`, and crashlens is to end as that does.
pub(crate) fn is_to_end_as(main: u32) {
    MAIN.store(main, Ordering::Relaxed);
    TRACER.store(own_thread(), Ordering::Relaxed);
}

/// The program has ended, with the status that `waitpid` gave.
pub(crate) fn has_ended(status: i32) {
    STATUS.store(status, Ordering::Relaxed);
}

/// Ends crashlens after an allocation has failed: where it supervises a program, only after that, and by the same status
/// or signal. There is no report of what was not written yet.
pub fn end_without_memory() -> ! {
    let _ = std::io::stderr().write_all(b"crashlens: out of memory; there is no report\n");
    let main = MAIN.load(Ordering::Relaxed);
    let status = match STATUS.load(Ordering::Relaxed) {
        NOT_ENDED if main != 0 && TRACER.load(Ordering::Relaxed) == own_thread() => let_go(main),
        NOT_ENDED => None,
        status => Some(status),
    };
    if let Some(status) = status.filter(|status| libc::WIFSIGNALED(*status))
        && let Ok(signal) = u8::try_from(libc::WTERMSIG(status))
    {
        end_by(signal);
    }
    sys::exit_at_once(status.map_or(FAILED, |status| libc::WEXITSTATUS(status)));
}

/// Lets every tracee go at its next stop, and waits for the end of `main`.
fn let_go(main: u32) -> Option<i32> {
    loop {
        match sys::wait(-1, libc::__WALL | libc::__WNOTHREAD) {
            Ok(Some((thread, status))) => match decode_event(status, None) {
                Event::Ended { status } if thread == main => return Some(status),
                Event::Ended { .. } => {}
                Event::Signal { signal } => drop(calls::detach(thread, signal)),
                _ => drop(calls::detach(thread, 0)),
            },
            Ok(None) | Err(Errno::EINTR) => {}
            Err(_) => return None,
        }
    }
}

fn own_thread() -> u32 {
    nix::unistd::gettid().as_raw().unsigned_abs()
}
