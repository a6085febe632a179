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

/// Threads of the program that are remembered as stopped.
const MAX_STOPPED: usize = 1024;

/// The process and the thread that trace; 0 before they do.
static PROCESS: AtomicU32 = AtomicU32::new(0);
static TRACER: AtomicU32 = AtomicU32::new(0);
/// The process whose end is to be ours; 0 if there is none, because it was joined.
static MAIN: AtomicU32 = AtomicU32::new(0);
/// How it ended.
static STATUS: AtomicI32 = AtomicI32::new(NOT_ENDED);
/// The threads that stand still until we let them go on; 0 where there is none.
static STOPPED: [AtomicU32; MAX_STOPPED] = [const { AtomicU32::new(0) }; MAX_STOPPED];

/// From now on this thread traces `main`, and crashlens is to end as that does.
pub(crate) fn is_to_end_as(main: u32) {
    MAIN.store(main, Ordering::Relaxed);
    is_to_let_go();
}

/// From now on this thread traces processes that go on without it.
pub(crate) fn is_to_let_go() {
    TRACER.store(own_thread(), Ordering::Relaxed);
    PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// The program has ended, with the status that `waitpid` gave.
pub(crate) fn has_ended(status: i32) {
    if MAIN.load(Ordering::Relaxed) != 0 {
        STATUS.store(status, Ordering::Relaxed);
    }
}

/// A thread of the program stands still, or goes on.
pub(crate) fn note(thread: u32, stopped: bool) {
    let place = |id: u32| STOPPED.iter().find(|it| it.load(Ordering::Relaxed) == id);
    match (place(thread), stopped) {
        (None, true) => {
            if let Some(free) = place(0) {
                free.store(thread, Ordering::Relaxed);
            }
        }
        (Some(noted), false) => noted.store(0, Ordering::Relaxed),
        (None, false) | (Some(_), true) => {}
    }
}

/// Ends crashlens after an allocation has failed: where it has started a program, only after that, and by the same status
/// or signal. Processes that it has joined go on, and receive the signals they were stopped at. There is no report of what was
/// not written yet.
///
/// Does not return to a thread that only helps: what that was doing is given up, and the tracer goes on without it.
pub fn end_without_memory() -> ! {
    let status = match STATUS.load(Ordering::Relaxed) {
        NOT_ENDED if !is_supervisor() => None,
        NOT_ENDED if TRACER.load(Ordering::Relaxed) == own_thread() => {
            release_stopped();
            match MAIN.load(Ordering::Relaxed) {
                0 => None,
                main => {
                    complain();
                    wait_for(main)
                }
            }
        }
        NOT_ENDED => loop {
            std::thread::park();
        },
        status => Some(status),
    };
    if status.is_none() {
        complain();
    }
    if let Some(status) = status.filter(|status| libc::WIFSIGNALED(*status))
        && let Ok(signal) = u8::try_from(libc::WTERMSIG(status))
    {
        end_by(signal);
    }
    sys::exit_at_once(status.map_or(FAILED, |status| libc::WEXITSTATUS(status)));
}

fn complain() {
    let _ = std::io::stderr().write_all(b"crashlens: out of memory; there is no report\n");
}

/// Whether this process supervises. Its copies, such as the relay, do not.
fn is_supervisor() -> bool {
    PROCESS.load(Ordering::Relaxed) == std::process::id()
}

/// Lets those go that are stopped at this moment, each with the signal that it was about to receive.
fn release_stopped() {
    for stopped in &STOPPED {
        let thread = stopped.swap(0, Ordering::Relaxed);
        if thread == 0 {
            continue;
        }
        let signal = calls::signal_record(thread).map_or(0, |record| {
            // For other stops than signals, the kernel gives the event in the upper bits.
            let is_event = record
                .code
                .is_some_and(|code| code >> 8 > 0 || code & 0x80 != 0);
            if record.signal.0 == libc::SIGTRAP && is_event {
                0
            } else {
                record.signal.0
            }
        });
        let _ = calls::detach(thread, signal);
    }
}

/// Lets every other tracee go at its next stop, and waits for the end of `main`.
fn wait_for(main: u32) -> Option<i32> {
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
