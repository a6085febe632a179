//! The one place where the tracer waits: for changes of tracees and for signals to crashlens itself.
//!
//! SIGCHLD only says that there is something to ask `waitpid` about. It is blocked like the signals that
//! are forwarded, and arrives on a descriptor; there is no polling and no signal handler. All threads of
//! crashlens must have these signals blocked, so they are started after the [`Watch`].

use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, raise, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd, siginfo};

use crate::pace::Pace;
use crate::poll::poll;
use crate::waker::Waker;
use crate::{calls, sys};

/// Signals that end or inform a program when sent to it, and that users and schedulers send to crashlens
/// meaning the program.
const FORWARDED: [Signal; 9] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGWINCH,
    Signal::SIGCONT,
];

/// Stops that the terminal sends to the whole job. crashlens must not follow them by itself: a stopped tracer
/// does not pass SIGTSTP on, so that the other threads of the program would compute on while the shell
/// says "Stopped", and the program could take a line that was typed for the shell.
const STOPS: [Signal; 3] = [Signal::SIGTSTP, Signal::SIGTTIN, Signal::SIGTTOU];

/// Something the tracer has to act on.
#[derive(Debug)]
pub(crate) enum Wake {
    /// A tracee or child changed; `status` as `waitpid` gave it.
    Change { thread: u32, status: i32 },
    /// crashlens received a signal.
    Signal(Box<siginfo>),
    /// Nothing happened in the time given.
    TimedOut,
    /// There is no tracee or child any more.
    NothingLeft,
}

/// Waits for tracees and signals.
#[derive(Debug)]
pub(crate) struct Watch {
    signals: SignalFd,
    inherited_mask: SigSet,
    reports_stops: bool,
    deferred: VecDeque<(u32, i32)>,
    received: VecDeque<siginfo>,
    pace: Pace,
    /// Whether the signals stay blocked when this is dropped.
    is_final: bool,
}

impl Watch {
    /// Blocks the signals and begins to receive them. Fails where the kernel refuses what the watch cannot do without.
    pub(crate) fn start() -> nix::Result<Self> {
        calls::may_wait()?;
        sys::receive_child_signals();
        let set: SigSet = FORWARDED
            .into_iter()
            .chain(STOPS)
            .chain([Signal::SIGCHLD])
            .collect();
        let signals = SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        let mut inherited_mask = SigSet::empty();
        // Not `thread_block`, which says nothing where it is refused.
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&set), Some(&mut inherited_mask))?;
        Ok(Self {
            signals,
            inherited_mask,
            reports_stops: false,
            deferred: VecDeque::new(),
            received: VecDeque::new(),
            pace: Pace::new(Instant::now()),
            is_final: false,
        })
    }

    /// The signal mask crashlens was started with.
    pub(crate) fn inherited_mask(&self) -> &SigSet {
        &self.inherited_mask
    }

    /// Leaves the signals blocked for good. They are meant for the program: one that arrives when it has ended must not end
    /// crashlens, whose own end is to be the program's.
    pub(crate) fn block_for_good(&mut self) {
        self.is_final = true;
    }

    /// Reports stops of the program as changes too, where it is not traced.
    pub(crate) fn report_stops(&mut self) {
        self.reports_stops = true;
    }

    /// The next thing to act on; waits as long as `timeout` says, or for ever.
    pub(crate) fn next(&mut self, timeout: Option<Duration>) -> nix::Result<Wake> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        loop {
            if let Some((thread, status)) = self.deferred.pop_front() {
                return Ok(Wake::Change { thread, status });
            }
            match calls::wait_any(self.reports_stops) {
                Ok(Some((thread, status))) => {
                    self.pace.changed(thread, Instant::now());
                    return Ok(Wake::Change { thread, status });
                }
                Ok(None) | Err(Errno::EINTR) => {}
                Err(Errno::ECHILD) => return Ok(Wake::NothingLeft),
                Err(errno) => return Err(errno),
            }
            if let Some(signal) = self.received.pop_front() {
                return Ok(Wake::Signal(Box::new(signal)));
            }
            if !self.is_soon() && !self.wait_for_signal(deadline)? {
                return Ok(Wake::TimedOut);
            }
        }
    }

    /// Gives the processor to others for a moment, if the next change is likely to come within it.
    fn is_soon(&mut self) -> bool {
        let is_burst = self.pace.is_burst(Instant::now());
        if is_burst {
            std::thread::yield_now();
        }
        if self.pace.owes_signals() {
            let _ = self.read_signals();
        }
        is_burst
    }

    /// Ends a burst of changes: what follows takes longer than the answer to one of them.
    pub(crate) fn rest(&mut self) {
        self.pace.rest();
    }

    /// The next change that was not seen before; `None` when none comes before the deadline.
    pub(crate) fn next_change(&mut self, deadline: Instant) -> Option<(u32, i32)> {
        loop {
            match calls::wait_any(self.reports_stops) {
                Ok(Some(change)) => return Some(change),
                Err(Errno::ECHILD) => return None,
                // Any other failure is met again, and dealt with, when the main loop waits.
                Ok(None) | Err(_) => {}
            }
            if !self.wait_for_signal(Some(deadline)).unwrap_or(false) {
                return None;
            }
        }
    }

    /// Keeps a change for [`Self::next`].
    pub(crate) fn defer(&mut self, thread: u32, status: i32) {
        self.deferred.push_back((thread, status));
    }

    /// The changes that were kept and are wanted now.
    pub(crate) fn take_deferred(
        &mut self,
        is_wanted: impl Fn(u32, i32) -> bool,
    ) -> VecDeque<(u32, i32)> {
        let kept = std::mem::take(&mut self.deferred).into_iter();
        let (wanted, others) = kept.partition(|(thread, status)| is_wanted(*thread, *status));
        self.deferred = others;
        wanted
    }

    /// The next change that was kept.
    pub(crate) fn next_deferred(&mut self) -> Option<(u32, i32)> {
        self.deferred.pop_front()
    }

    /// The SIGCONT that crashlens has received, if any.
    pub(crate) fn take_continuation(&mut self) -> Option<siginfo> {
        let _ = self.read_signals();
        let index = self.received.iter().position(is_continuation)?;
        self.received.remove(index)
    }

    /// Stops crashlens as `signal` stopped the program, so that its parent sees it. Returns when it is continued, and
    /// whether that was only because a tracee waits for it: then it is to stop again afterwards.
    pub(crate) fn stop_with(&mut self, signal: i32) -> bool {
        self.rest();
        let waker = Waker::start().ok();
        // The start of a process has sent SIGCHLD, by which the waker would take crashlens for needed.
        let _ = self.read_signals();
        if let Ok(Some((thread, status))) = calls::wait_any(self.reports_stops) {
            self.defer(thread, status);
            waker.map(Waker::end);
            return true;
        }
        if self.received.iter().any(is_continuation) {
            waker.map(Waker::end);
            return false;
        }
        match STOPS.into_iter().find(|stop| *stop as i32 == signal) {
            Some(stop) => {
                let only = SigSet::from_iter([stop]);
                // The kernel ignores these in a job without a shell, so that nothing can hang here.
                let _ = raise(stop);
                let _ = only.thread_unblock();
                let _ = only.thread_block();
            }
            // Without a waker, a SIGCONT to the program itself would be lost: not to stop is the lesser evil.
            None if signal == libc::SIGSTOP && waker.is_some() => {
                let _ = raise(Signal::SIGSTOP);
            }
            None => {}
        }
        // It has ended when this returns: a SIGCONT of its own that came later would be taken for another process's.
        let waker = waker.map(Waker::end);
        let _ = self.read_signals();
        let number = self.received.len();
        self.received
            .retain(|it| !is_continuation(it) || Some(it.ssi_pid) != waker);
        let is_needed = self.received.len() < number;
        // To be continued takes back every stop that is pending. The kernel does so with what we have not read; a
        // Ctrl-Z that we have would stop the job again after the `fg`.
        self.received
            .retain(|it| !STOPS.iter().any(|stop| *stop as u32 == it.ssi_signo));
        is_needed
    }

    /// Waits for SIGCHLD or a signal to keep; `false` at the deadline.
    fn wait_for_signal(&mut self, deadline: Option<Instant>) -> nix::Result<bool> {
        let timeout = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let signals = [Some((self.signals.as_fd(), PollFlags::POLLIN))];
        if poll(signals, timeout) == Ok([PollFlags::empty()]) {
            return Ok(false);
        }
        self.read_signals()?;
        Ok(true)
    }

    fn read_signals(&mut self) -> nix::Result<()> {
        while let Some(signal) = self.signals.read_signal()? {
            if signal.ssi_signo != libc::SIGCHLD as u32 {
                self.received.push_back(signal);
            }
        }
        Ok(())
    }
}

fn is_continuation(signal: &siginfo) -> bool {
    signal.ssi_signo == libc::SIGCONT as u32
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.is_final {
            let _ = self.inherited_mask.thread_set_mask();
        }
    }
}
