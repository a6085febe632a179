//! Supervision where tracing is refused: a seccomp filter, yama, another tracer.
//!
//! Only the main process is seen, by its wait status, by `/proc` while it lives, and by what it writes. The
//! capture names what is missing and what would allow it.

use std::time::Duration;

use crashlens_core::{
    CaptureFile, Ending, EndingKind, Gap, Gaps, Observed, Role, Signal, Thread, ThreadRole,
};
use nix::errno::Errno;

use crate::capture::Sample;
use crate::deaths::counts_as_death;
use crate::error::SuperviseError;
use crate::faulthandler::crashed_stack;
use crate::host::OomCounters;
use crate::outcome::Observer;
use crate::output::Relay;
use crate::siginfo::is_from_process;
use crate::spawn::Started;
use crate::status::ThreadStatus;
use crate::sys;
use crate::watch::{Wake, Watch};

/// A program's libraries are loaded in its first moments; later looks only find what changed.
const FIRST_LOOK: Duration = Duration::from_millis(100);
const LONGEST_BETWEEN_LOOKS: Duration = Duration::from_secs(5);

/// Watches the program until it ends and gives its wait status.
pub(crate) fn watch(
    started: &Started,
    refused: Errno,
    watch: &mut Watch,
    relay: &Relay,
    observer: &mut dyn Observer,
    gaps: &mut Gaps,
) -> Result<i32, SuperviseError> {
    let missing = what_is_missing(started.pid, refused);
    gaps.add(&missing.part, &missing.reason, missing.remedy.as_deref());
    let _ = watch.leave_stops_to_kernel();
    let oom_before = OomCounters::read(started.pid);
    let (status, sample) = wait_for_end(started.pid, watch, relay)?;
    if let Some(failure) = started.failure() {
        return Err(failure);
    }
    if libc::WIFSIGNALED(status) {
        let signal = Signal(libc::WTERMSIG(status));
        let killed = signal == Signal::KILL;
        let out_of_memory = killed && oom_before.read_again().rose_since(&oom_before) == Some(true);
        if counts_as_death(signal, Role::Main, Some(out_of_memory)) {
            let kind = if out_of_memory {
                EndingKind::OomKill
            } else {
                EndingKind::Signal
            };
            let mut sample =
                sample.unwrap_or_else(|| Sample::take(started.pid, Role::Main, Gaps::default()));
            sample.set_oom_kills_before(oom_before.in_group);
            let unnamed = sample.into_capture(ending(kind, signal, status), &missing);
            observer.died(with_python_stack(unnamed.name(relay), started.pid));
        }
    }
    Ok(status)
}

fn wait_for_end(
    pid: u32,
    watch: &mut Watch,
    relay: &Relay,
) -> Result<(i32, Option<Sample>), SuperviseError> {
    let mut sample = None;
    let mut pause = FIRST_LOOK;
    loop {
        match watch.next(Some(pause)) {
            Ok(Wake::Change { thread, status }) if thread == pid => return Ok((status, sample)),
            Ok(Wake::Change { .. }) => {}
            Ok(Wake::Signal(signal)) => {
                if signal.ssi_signo == libc::SIGWINCH as u32 {
                    relay.resize();
                }
                // Whether it was sent to the whole group cannot be seen here; better twice than never.
                if is_from_process(signal.ssi_code) {
                    let _ = sys::kill(pid, signal.ssi_signo as i32);
                }
            }
            Ok(Wake::TimedOut) => {
                let now = Sample::take(pid, Role::Main, Gaps::default());
                if now.has_maps() {
                    sample = Some(now);
                }
                pause = (pause * 2).min(LONGEST_BETWEEN_LOOKS);
            }
            Ok(Wake::NothingLeft) => {
                return Err(SuperviseError::Wait {
                    pid,
                    source: Errno::ECHILD,
                });
            }
            Err(source) => return Err(SuperviseError::Wait { pid, source }),
        }
    }
}

fn ending(kind: EndingKind, signal: Signal, status: i32) -> Ending {
    Ending {
        kind,
        signal: Some(signal),
        code: None,
        address: None,
        sender_pid: None,
        wait_status: Some(status),
        exit_code: None,
        earlier_faults: Vec::new(),
        raised_again: false,
    }
}

/// Adds the stack that Python wrote, as the crashed thread. Which thread of the kernel it was, Python does not
/// say: it stands under the process's id.
fn with_python_stack(mut file: CaptureFile, pid: u32) -> CaptureFile {
    let lines = file
        .capture
        .output
        .stderr
        .known()
        .map(|tail| tail.lines.as_slice());
    if let Some((frames, end)) = crashed_stack(lines.unwrap_or_default()) {
        file.capture.crashed_thread = Some(pid);
        file.capture.threads = vec![Thread {
            id: pid,
            name: String::new(),
            role: ThreadRole::Python,
            crashed: true,
            holds_gil: None,
            waits_for_crashed: false,
            frames,
            end,
        }];
    }
    if let (Observed::Absent, Observed::Unknown(gap)) =
        (&file.capture.environment.python, &file.capture.registers)
    {
        file.capture.environment.python = Observed::Unknown(*gap);
    }
    file
}

fn what_is_missing(pid: u32, refused: Errno) -> Gap {
    let tracer = ThreadStatus::read(pid)
        .ok()
        .and_then(|status| status.tracer());
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let (reason, remedy) = match (tracer, scope.trim()) {
        (Some(tracer), _) => (
            format!("process {tracer} traces the program already"),
            "End the debugger or tracer that holds the program, then run it again.",
        ),
        (None, "2" | "3") => (
            format!("kernel.yama.ptrace_scope is {}", scope.trim()),
            "As root: sysctl kernel.yama.ptrace_scope=1 (a scope of 3 lasts until the next boot).",
        ),
        (None, _) => (
            format!(
                "the kernel refused to trace the program: {}",
                refused.desc()
            ),
            "In Docker run the container with --cap-add=SYS_PTRACE; elsewhere allow ptrace in the seccomp filter.",
        ),
    };
    Gap {
        part: "native stacks, registers and processes below the program".to_owned(),
        reason,
        remedy: Some(remedy.to_owned()),
    }
}
