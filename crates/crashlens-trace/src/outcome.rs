//! What supervision is asked for, and what it gives back.

use std::time::{Duration, Instant};

use crashlens_core::{CaptureFile, Gaps};

/// How to supervise.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether to keep the end of standard error.
    pub tail: KeepTail,
    /// Whether to read the values of variables.
    pub locals: bool,
    /// A process of crashlens that may be below the one that is joined, and is not to be traced.
    pub ours: Option<u32>,
    /// After how long without progress of the whole tree its stacks are reported; never without it.
    pub hang_after: Option<Duration>,
}

/// Of which standard error the end is kept for the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepTail {
    /// Of none.
    No,
    /// Of any that is not a terminal, which a program may need for more than its words.
    UnlessTerminal,
    /// Also of a terminal: the program gets another one, from which its words are carried to the real one.
    AlsoOfTerminal,
}

/// Is told of deaths as they happen.
pub trait Observer {
    /// A process that ran already, and all that it has started, is traced from now on.
    fn joined(&mut self) {}
    /// A process of the tree died.
    fn died(&mut self, capture: CaptureFile);
    /// The tree makes no progress. It goes on after this.
    fn hung(&mut self, hang: Hang);
}

/// A tree of processes that makes no progress.
#[derive(Debug, Clone)]
pub struct Hang {
    /// For how long there was none.
    pub idle: Duration,
    /// What moved last in the tree moved after this moment.
    pub last_progress_after: Instant,
    /// All processes as they stand, the main one first.
    pub processes: Vec<CaptureFile>,
}

/// How much could be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supervision {
    /// Everything: ptrace on the whole tree.
    Traced,
    /// ptrace was refused: only what `/proc`, the wait status and faulthandler tell.
    Degraded,
}

/// How a supervised program ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// As `waitpid` gave it.
    pub wait_status: i32,
    /// From start to end.
    pub duration: Duration,
    /// How much could be seen.
    pub supervision: Supervision,
    /// What could not be seen of the run as a whole, such as programs that had to be let go.
    pub gaps: Gaps,
}

impl Outcome {
    /// The program's own exit code, or 128+N for signal N.
    pub fn exit_code(&self) -> u8 {
        match self.signal() {
            None => (self.wait_status >> 8) as u8,
            Some(signal) => 128 + signal,
        }
    }

    /// The signal that ended the program.
    pub fn signal(&self) -> Option<u8> {
        let signal = (self.wait_status & 0x7f) as u8;
        (signal != 0).then_some(signal)
    }
}

/// How watching a running process ended.
#[derive(Debug, Clone)]
pub enum Attached {
    /// The process ended.
    Ended(Outcome),
    /// The user let it go.
    Detached(Gaps),
}
