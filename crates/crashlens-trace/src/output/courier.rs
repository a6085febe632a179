//! The process that carries standard error from the program to where it belongs.
//!
//! It is a process of its own, and not a thread, because the program must not notice when crashlens
//! ends first: killed with -9, the thread's end of the pipe would close and the program would die of
//! SIGPIPE at its next line. The courier lives until the last writer is gone, so orphans keep their
//! standard error too. It holds nothing else of its maker, so that pipelines see their end in time.
//! A second one stands by and goes on when the first is killed, see [`standby`].
//!
//! It does not decide what the tail looks like; it hands over bytes. It never allocates after its
//! buffers are made (see [`crate::sys::fork_detached`]).

mod protocol;
mod standby;

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::signal::SigSet;
use nix::sys::uio::pwrite;
use nix::unistd::{Pid, chdir, read, setpgid, write};

use self::protocol::REQUEST_SIZE;
use self::standby::{Standby, Turn};
use super::tail::{MAX_BYTES, Ring};
use super::terminal::copy_size;
use crate::poll::poll;
use crate::sys;

pub(super) use self::protocol::{Answer, DRAIN, FINISH, request};

/// How long a drain waits for a standard error that takes nothing (a pager).
const DRAIN_PATIENCE: Duration = Duration::from_millis(150);
/// How much is read at a time.
const CHUNK: usize = 64 * 1024;
/// More than any unprivileged pipe holds: what a drain may have to take in at once.
const MAX_IN_FLIGHT: usize = 1024 * 1024;
/// Writes of this size are not torn by other writers to the same pipe (`PIPE_BUF`), and do not
/// block when `poll` has found room.
const PIECE: usize = 4096;

/// A drain under way.
struct Drain {
    request: u64,
    deadline: Option<Instant>,
    /// Reading this many bytes in all has surely taken in what was there at the request, however
    /// fast somebody goes on writing.
    read_enough: u64,
    /// Set when everything was taken in: passing on this many bytes completes the drain.
    passed_on_enough: Option<u64>,
}

/// What the courier holds.
pub(super) struct Courier {
    source: Option<OwnedFd>,
    stderr: OwnedFd,
    control: Option<OwnedFd>,
    snapshot: OwnedFd,
    ring: Ring,
    /// Bytes read and not yet passed on are `buffer[start..end]`.
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    passed_on: u64,
    drain: Option<Drain>,
    standby: Standby,
    /// 1 where an earlier courier was killed: an unknown number of bytes is missing.
    lost: u64,
}

impl Courier {
    /// `source` and `control` must not block; the others may.
    pub(super) fn new(
        source: OwnedFd,
        stderr: OwnedFd,
        control: OwnedFd,
        snapshot: OwnedFd,
    ) -> Self {
        Self {
            source: Some(source),
            stderr,
            control: Some(control),
            snapshot,
            ring: Ring::new(),
            buffer: vec![0; CHUNK + MAX_IN_FLIGHT].into_boxed_slice(),
            start: 0,
            end: 0,
            passed_on: 0,
            drain: None,
            standby: Standby::none(),
            lost: 0,
        }
    }

    /// Carries until the last writer is gone and nobody can ask any more.
    pub(super) fn run(mut self) {
        self.leave_home();
        if self.is_over() {
            return;
        }
        self.carry();
        self.standby.dismiss();
    }

    fn carry(&mut self) {
        while self.control.is_some() || self.source.is_some() || self.is_carrying() {
            let timeout = self.timeout();
            let streams = [
                self.control
                    .as_ref()
                    .map(|control| (control.as_fd(), PollFlags::POLLIN)),
                self.source
                    .as_ref()
                    .filter(|_| self.wants_more())
                    .map(|source| (source.as_fd(), PollFlags::POLLIN)),
                self.is_carrying()
                    .then(|| (self.stderr.as_fd(), PollFlags::POLLOUT)),
                // Without events: only its loss is noticed.
                self.standby.line().map(|line| (line, PollFlags::empty())),
            ];
            let Ok(ready) = poll(streams, timeout) else {
                continue;
            };
            let [control, source, stderr, standby] = ready.map(|events| !events.is_empty());
            if standby && self.is_over() {
                return;
            }
            if control {
                self.take_requests();
            }
            if source || (self.drain.is_some() && self.wants_more()) {
                self.take_in();
            }
            if stderr {
                self.pass_on();
            }
            self.answer_if_done();
        }
    }

    /// Makes a second courier stand by; whether this is that one and the work is done.
    fn is_over(&mut self) -> bool {
        let turn = self.standby.renew();
        if turn == Turn::TookOver {
            // What was carried when this copy was made has arrived since, or is lost.
            self.drop_what_is_carried();
            (self.start, self.end) = (0, 0);
            self.drain = None;
            self.lost = 1;
        }
        turn == Turn::Over
    }

    /// Gives up everything shared with the maker that the carrying does not need.
    fn leave_home(&self) {
        // Signals meant for the program's job (Ctrl-C, Ctrl-Z, a hang-up, a SIGTERM to the group) must
        // not stop its standard error. SIGPIPE is then only the error it comes with.
        let _ = SigSet::all().thread_block();
        // Alone in its group, it also outlives a SIGKILL to the program's group, and the last lines arrive.
        let _ = setpgid(Pid::from_raw(0), Pid::from_raw(0));
        let _ = nix::sys::prctl::set_name(c"crashlens-relay");
        let _ = chdir(c"/");
        let control = self.control.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        let source = self.source.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        sys::close_all_except([
            control,
            source,
            self.stderr.as_raw_fd(),
            self.snapshot.as_raw_fd(),
        ]);
    }

    fn is_carrying(&self) -> bool {
        self.start < self.end
    }

    /// One chunk at a time, so that a slow reader slows the program as it would alone; a drain reads ahead.
    fn wants_more(&self) -> bool {
        match &self.drain {
            Some(drain) => drain.passed_on_enough.is_none() && self.end < self.buffer.len(),
            None => !self.is_carrying(),
        }
    }

    fn timeout(&self) -> Option<Duration> {
        // What is there is read at once, without waiting.
        if self.drain.is_some() && self.wants_more() {
            return Some(Duration::ZERO);
        }
        let deadline = self.drain.as_ref()?.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    fn take_requests(&mut self) {
        let Some(control) = &self.control else { return };
        let mut request = [0; REQUEST_SIZE];
        match read(control, &mut request) {
            Ok(0) => self.control = None,
            Ok(_) => self.take_request(request),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => self.control = None,
        }
        if self.control.is_none() {
            self.drain = None;
        }
    }

    fn take_request(&mut self, [what, number @ ..]: [u8; REQUEST_SIZE]) {
        if what != DRAIN && what != FINISH {
            return;
        }
        self.drain = Some(Drain {
            request: u64::from_le_bytes(number),
            deadline: (what == DRAIN).then(|| Instant::now() + DRAIN_PATIENCE),
            read_enough: self.ring.appended() + MAX_IN_FLIGHT as u64,
            passed_on_enough: None,
        });
    }

    fn take_in(&mut self) {
        let Some(source) = &self.source else {
            return self.all_taken_in();
        };
        let room = self.buffer.len().min(self.end + CHUNK);
        match read(source, &mut self.buffer[self.end..room]) {
            Ok(count) if count > 0 => {
                // Fails where standard error is not a terminal.
                copy_size(&self.stderr, source);
                self.ring.append(&self.buffer[self.end..self.end + count]);
                self.end += count;
                if self
                    .drain
                    .as_ref()
                    .is_some_and(|drain| self.ring.appended() >= drain.read_enough)
                {
                    self.all_taken_in();
                }
            }
            Err(Errno::EAGAIN) => self.all_taken_in(),
            Err(Errno::EINTR) => {}
            // No writer is left: a pipe gives nothing, a terminal EIO.
            Ok(_) | Err(_) => {
                self.close_source();
                self.all_taken_in();
            }
        }
    }

    /// The one that stands by has it too, and has nothing to go on with any more.
    fn close_source(&mut self) {
        self.source = None;
        self.standby.dismiss();
    }

    fn all_taken_in(&mut self) {
        let taken_in = self.ring.appended();
        if let Some(drain) = &mut self.drain {
            drain.passed_on_enough.get_or_insert(taken_in);
        }
    }

    fn pass_on(&mut self) {
        let waiting = &self.buffer[self.start..self.end];
        match write(&self.stderr, &waiting[..piece(waiting)]) {
            Ok(count) => {
                self.start += count;
                self.passed_on += count as u64;
            }
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            // Whoever read our standard error is gone. Alone, the program would learn that from its
            // next write; so that it does, its own reader goes too.
            Err(Errno::EPIPE | Errno::EIO) => {
                self.close_source();
                self.drop_what_is_carried();
                self.all_taken_in();
            }
            // A full disk, a file size limit. Alone, the program would be told and these bytes would be
            // lost as well; there is no way to tell it, and the next bytes may find room.
            Err(_) => self.drop_what_is_carried(),
        }
        if !self.is_carrying() {
            (self.start, self.end) = (0, 0);
        }
    }

    fn drop_what_is_carried(&mut self) {
        self.passed_on += (self.end - self.start) as u64;
        self.start = self.end;
    }

    fn answer_if_done(&mut self) {
        let Some(drain) = &self.drain else { return };
        let passed_on = drain
            .passed_on_enough
            .is_some_and(|enough| self.passed_on >= enough);
        let out_of_time = drain
            .deadline
            .is_some_and(|deadline| deadline <= Instant::now());
        if !passed_on && !out_of_time {
            return;
        }
        let request = drain.request;
        self.drain = None;
        let (older, newer) = self.ring.halves();
        let kept = if self.write_snapshot(older, 0) && self.write_snapshot(newer, older.len()) {
            (older.len() + newer.len()).min(MAX_BYTES) as u64
        } else {
            0
        };
        let answer = Answer {
            request,
            kept,
            written: self.ring.appended() + self.lost,
        };
        let answered = self
            .control
            .as_ref()
            .map(|control| write(control, &answer.to_bytes()));
        if matches!(answered, Some(Err(_))) {
            self.control = None;
        }
    }

    fn write_snapshot(&self, bytes: &[u8], offset: usize) -> bool {
        let mut done = 0;
        while done < bytes.len() {
            match pwrite(&self.snapshot, &bytes[done..], (offset + done) as i64) {
                Ok(0) => return false,
                Ok(count) => done += count,
                Err(Errno::EINTR) => {}
                Err(_) => return false,
            }
        }
        true
    }
}

/// How much of `waiting` to write at once: whole lines if possible, so that another writer to the same
/// pipe (the program's own stdout under `2>&1`) comes between lines and not into one.
fn piece(waiting: &[u8]) -> usize {
    let longest = waiting.len().min(PIECE);
    memchr::memrchr(b'\n', &waiting[..longest]).map_or(longest, |end| end + 1)
}
