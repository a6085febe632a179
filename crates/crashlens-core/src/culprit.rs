//! Whose code it was: chosen from the frames of a capture by fixed, general principles.
//!
//! Nothing here says *why* the process died. The choice names the place a person would look at
//! first: their own Python line, the native function that did it on its own account (not the
//! machinery that carried out the death), the kernel and op of a framework around it.

mod machinery;
mod native;
mod python;

use serde::{Deserialize, Serialize};

use crate::capture::{CrashCapture, EndingKind, Package, Signal, Thread, ThreadRole};
use crate::frameworks;

pub use machinery::is_interpreter;
pub(crate) use machinery::{
    is_allocator, is_foreign_call, is_machinery_frame, plain_name, usual_name,
};
pub(crate) use python::python_frames;
pub use python::{CodeOwner, owner};

/// Where the death happened, as far as the frames show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Culprit {
    /// The TensorFlow op, by its registered name.
    pub op: Option<String>,
    /// The op's kernel: the nearest frame that is a method of an `OpKernel`.
    pub kernel: Option<String>,
    /// The top meaningful native function; `None` also where the library has no symbols.
    pub function: Option<String>,
    /// File name of the library that function is in.
    pub library: Option<String>,
    /// The Python package that installed that library.
    pub package: Option<Package>,
    /// The innermost line of the user's own Python code.
    pub python: Option<PythonLine>,
    /// The thread that took the fatal signal.
    pub thread: Option<CulpritThread>,
}

/// A line of Python code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PythonLine {
    /// File, as the interpreter has it.
    pub file: String,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Function, `<module>` at the top level of a file.
    pub function: String,
    /// Text of the line, where the file could be read.
    pub source: Option<String>,
}

/// Which thread it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CulpritThread {
    /// Kernel thread id.
    pub id: u32,
    /// Name as the kernel has it.
    pub name: String,
    /// What the thread is for.
    pub role: ThreadRole,
}

impl Culprit {
    /// Chooses from the frames of `capture`.
    pub fn choose(capture: &CrashCapture) -> Self {
        let crashed = crashed_thread(capture);
        let waiting = capture
            .threads
            .iter()
            .find(|thread| thread.waits_for_crashed);
        let mut culprit = Self {
            python: python::line(&[crashed.or_else(|| busiest_thread(capture)), waiting])
                .or_else(|| python::last_seen(capture)),
            thread: crashed.map(CulpritThread::from),
            ..Self::default()
        };
        let Some(crashed) = crashed.filter(|_| died_of_its_own_doing(capture)) else {
            return culprit;
        };
        if let Some(frame) = native::frame(crashed, capture.registers.known()) {
            culprit.function = native::name(frame, capture);
            culprit.library.clone_from(&frame.library);
            culprit.package = native::package(frame, capture);
        }
        culprit.kernel = frameworks::kernel(crashed).map(str::to_owned);
        culprit.op = frameworks::op(&frameworks::Seen {
            record: capture.testimony.op.known(),
            crashed,
            waiting,
        });
        culprit
    }
}

impl From<&Thread> for CulpritThread {
    fn from(thread: &Thread) -> Self {
        Self {
            id: thread.id,
            name: thread.name.clone(),
            role: thread.role,
        }
    }
}

fn crashed_thread(capture: &CrashCapture) -> Option<&Thread> {
    let by_id = capture
        .crashed_thread
        .and_then(|id| capture.threads.iter().find(|thread| thread.id == id));
    by_id.or_else(|| capture.threads.iter().find(|thread| thread.crashed))
}

/// The thread whose Python code was running, where no thread took the signal (SIGKILL ends a process as a whole).
fn busiest_thread(capture: &CrashCapture) -> Option<&Thread> {
    let threads = &capture.threads;
    threads
        .iter()
        .find(|thread| thread.holds_gil == Some(true))
        .or_else(|| {
            threads
                .iter()
                .find(|thread| thread.role == ThreadRole::Main)
        })
}

/// Whether an instruction of the process brought the signal about.
///
/// A limit (SIGXCPU), another process (`kill -SEGV`) or the kernel's need for memory strikes whatever
/// function happens to run: naming that function would accuse a bystander.
fn died_of_its_own_doing(capture: &CrashCapture) -> bool {
    let ending = &capture.ending;
    let (EndingKind::Signal, Some(signal)) = (ending.kind, ending.signal) else {
        return false;
    };
    match ending.sender_pid {
        Some(sender) => sender == capture.process.pid,
        None => signal.is_fault() || signal == Signal::ABRT || signal == Signal::SYS,
    }
}
