//! Standard error: where the program's words go, and how their end is kept for the report.
//!
//! A program whose standard error is a terminal has that terminal and nothing in between: pagers and shells read keys
//! from descriptor 2, job control and modes are set through it, and what is written to it must not change places with what is
//! written to descriptor 1. A pseudo-terminal in between broke each of these (`less`, `bash -i`, `stty -echo <&2`). The
//! price: of what went to a terminal, only what is found in memory is known (`abort_message` and others in crashlens-unwind),
//! unless the user asks for that pseudo-terminal.
//!
//! One whose standard error is a regular file gets the file itself ([`on_disk`]), and so does one that writes to a device
//! such as `/dev/full` or `/dev/null`, of which nothing is kept. What others get looks the same to them: a socket or a pipe, carried
//! byte for byte. What differs, and is accepted:
//! - stdout is not relayed, so where both go to the same pipe, stdout overtakes stderr: of lines written in direct
//!   succession, a quarter changed places on a busy machine;
//! - the error of a closed reader reaches the program some writes late.
//!
//! Masking of secrets is done in [`crashlens_core::secrets`]; the carrying in a process of its own, see [`courier`].

mod courier;
mod joined;
mod on_disk;
mod tail;
mod terminal;

use std::cell::Cell;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crashlens_core::{Gaps, Observed, Tail};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use rustix::fs::{MemfdFlags, memfd_create};

use self::courier::{Answer, Courier};
use self::joined::Joined;
use self::on_disk::OnDisk;
use self::terminal::open_terminal_like;
use crate::outcome::KeepTail;
use crate::sys;

/// How long a drain may hold up the caller, who has a stopped process at hand.
const DRAIN_LIMIT: Duration = Duration::from_millis(200);
/// How long the end of a run waits for a slow reader of standard error. Nothing is lost after it: the
/// courier goes on, only the report may then come before the program's last lines.
const FINISH_LIMIT: Duration = Duration::from_secs(5);
/// The pipe's size; a larger one than the default 64 KiB saves the program from waiting for us.
const PIPE_BYTES: i32 = 1024 * 1024;

/// The relay of the program's standard error.
pub(crate) struct Relay(State);

enum State {
    /// The program writes to our own standard error; nothing is kept, for the reason given.
    Off {
        reason: String,
        remedy: Option<&'static str>,
    },
    /// We have no standard error and neither has the program.
    NoStderr,
    /// The program writes to the same file as we do.
    OnDisk(OnDisk),
    /// Processes ran before us, and write where they do.
    Joined(Joined),
    Carried(Line),
}

/// The line to the courier.
struct Line {
    control: UnixStream,
    snapshot: File,
    drains_asked: Cell<u64>,
}

impl Relay {
    /// Starts relaying, and gives what the program must get as its standard error (`None`: ours). The
    /// caller drops that descriptor as soon as the program has it, or the relay sees no end.
    ///
    /// Call it before any thread is started. On an error the program can still run with our own
    /// standard error: use [`Relay::off`].
    pub(crate) fn start(kept: KeepTail) -> io::Result<(Self, Option<OwnedFd>)> {
        if kept == KeepTail::No {
            return Ok((Self::off("it was not kept, as asked"), None));
        }
        // Missing standard streams are /dev/null since the beginning of main. Python has no `sys.stderr` then, and
        // with a pipe in its place would write what it keeps to itself alone.
        let stderr = io::stderr().as_fd().try_clone_to_owned();
        match stderr.ok().filter(|_| !sys::started_without_stderr()) {
            Some(stderr) => Self::start_to(stderr, kept),
            None => Ok((Self(State::NoStderr), None)),
        }
    }

    /// A relay that does nothing, and says why.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers have an error in hand and no use for it afterwards"
    )]
    pub(crate) fn off(reason: impl ToString) -> Self {
        Self(State::Off {
            reason: reason.to_string(),
            remedy: None,
        })
    }

    /// For processes that were started without us.
    pub(crate) fn joined(main: u32) -> Self {
        Self(State::Joined(Joined::with(main)))
    }

    /// The terminal is the program's alone.
    fn left_alone() -> Self {
        Self(State::Off {
            reason: "it is a terminal, and the program has it to itself".to_owned(),
            remedy: Some(
                "Use `crashlens run --tail-terminal`, or send it to a file with `2>errors.log`.",
            ),
        })
    }

    fn start_to(stderr: OwnedFd, kept: KeepTail) -> io::Result<(Self, Option<OwnedFd>)> {
        let (source, for_program) = match Kind::of(&stderr)? {
            Kind::Terminal if kept == KeepTail::AlsoOfTerminal => open_terminal_like(&stderr)?,
            Kind::Terminal => return Ok((Self::left_alone(), None)),
            Kind::Socket => open_socket()?,
            Kind::Pipe => open_pipe()?,
            Kind::File => return Ok((Self(State::OnDisk(OnDisk::open(stderr)?)), None)),
            Kind::Device => return Ok((Self::off("standard error is a device"), None)),
        };
        let (control, courier_control) = packets()?;
        fcntl(&courier_control, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        // By number: the C library has no function for it before glibc 2.27.
        let snapshot = File::from(memfd_create(c"crashlens-tail", MemfdFlags::CLOEXEC)?);
        let courier = Courier::new(
            source,
            stderr,
            courier_control,
            snapshot.try_clone()?.into(),
        );
        sys::fork_detached(|| courier.run())?;
        let line = Line {
            control: control.into(),
            snapshot,
            drains_asked: Cell::new(0),
        };
        Ok((Self(State::Carried(line)), Some(for_program)))
    }

    /// The last lines the program wrote, as far as `process` shows them. Everything it wrote before the call has then been passed on and
    /// is among them, unless that takes more than 200 ms.
    pub(crate) fn tail(&self, process: u32, gaps: &mut Gaps) -> Observed<Tail> {
        match &self.0 {
            State::Off { reason, remedy } => {
                Observed::Unknown(gaps.add("the end of standard error", reason, *remedy))
            }
            State::NoStderr => Observed::Absent,
            State::OnDisk(file) => gaps.observe("the end of standard error", file.tail()),
            State::Joined(files) => files.tail(process, gaps),
            State::Carried(line) => {
                let tail = line
                    .ask(courier::DRAIN, DRAIN_LIMIT)
                    .and_then(|answer| line.read_tail(answer));
                gaps.observe("the end of standard error", tail)
            }
        }
    }

    /// Lets a report be written. Where that goes to the same file as the words of the program, it is not taken for them.
    pub(crate) fn beside(&self, report: impl FnOnce()) {
        match &self.0 {
            State::OnDisk(file) => file.beside(report),
            State::Joined(files) => files.beside(report),
            _ => report(),
        }
    }

    /// Waits until what was written has been passed on, and lets go. Processes that still hold the
    /// program's standard error keep it: the courier serves them until they end.
    pub(crate) fn finish(self) {
        if let State::Carried(line) = &self.0 {
            let _ = line.ask(courier::FINISH, FINISH_LIMIT);
        }
    }
}

impl Line {
    fn ask(&self, request: u8, limit: Duration) -> io::Result<Answer> {
        let deadline = Instant::now() + limit;
        let number = self.drains_asked.get() + 1;
        self.drains_asked.set(number);
        (&self.control).write_all(&courier::request(request, number))?;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // Zero would mean no limit at all.
            self.control
                .set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
            let mut bytes = [0; Answer::SIZE];
            (&self.control)
                .read_exact(&mut bytes)
                .map_err(|error| match error.kind() {
                    io::ErrorKind::WouldBlock => {
                        io::Error::new(io::ErrorKind::TimedOut, "the relay did not answer in time")
                    }
                    io::ErrorKind::UnexpectedEof => {
                        io::Error::new(error.kind(), "the relay process has ended")
                    }
                    _ => error,
                })?;
            let answer = Answer::from_bytes(bytes);
            // An earlier request may have run out of time here and be answered only now.
            if answer.request == number {
                return Ok(answer);
            }
        }
    }

    fn read_tail(&self, answer: Answer) -> io::Result<Tail> {
        let kept = answer.kept.min(tail::MAX_BYTES as u64);
        let mut bytes = vec![0; kept as usize];
        self.snapshot.read_exact_at(&mut bytes, 0)?;
        Ok(tail::last_lines(
            &bytes,
            answer.written.saturating_sub(kept),
        ))
    }
}

/// A line on which requests and answers keep their limits, and which ends when the other side is gone.
fn packets() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = SockFlag::SOCK_CLOEXEC;
    Ok(socketpair(
        AddressFamily::Unix,
        SockType::SeqPacket,
        None,
        flags,
    )?)
}

/// What standard error is, as far as programs notice.
enum Kind {
    Terminal,
    Socket,
    Pipe,
    File,
    Device,
}

impl Kind {
    fn of(stderr: &OwnedFd) -> io::Result<Self> {
        if stderr.is_terminal() {
            return Ok(Self::Terminal);
        }
        let kind = File::from(stderr.try_clone()?).metadata()?.file_type();
        Ok(if kind.is_file() {
            Self::File
        } else if kind.is_socket() {
            Self::Socket
        } else if kind.is_char_device() {
            Self::Device
        } else {
            Self::Pipe
        })
    }
}

/// As service managers and programs that start others give them.
fn open_socket() -> io::Result<(OwnedFd, OwnedFd)> {
    let (source, for_program) = UnixStream::pair()?;
    source.set_nonblocking(true)?;
    Ok((source.into(), for_program.into()))
}

fn open_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (source, for_program) = io::pipe()?;
    let (source, for_program) = (OwnedFd::from(source), OwnedFd::from(for_program));
    // Refused above the user's share of pipe memory; the default size will do then.
    let _ = fcntl(&source, FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
    fcntl(&source, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok((source, for_program))
}

#[cfg(test)]
mod tests;
