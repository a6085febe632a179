//! Supervision where tracing is refused: a seccomp filter, yama, another tracer.
//!
//! Only the main process is seen, by its wait status, by `/proc` while it lives, and by what it writes. The
//! capture names what is missing and what would allow it.

use std::time::{Duration, Instant};

use crashlens_core::{
    CaptureFile, Ending, EndingKind, Gap, Gaps, Observed, Role, Signal, Thread, ThreadRole,
};
use nix::errno::Errno;
use nix::sys::signalfd::siginfo;

use crate::agenda::{Agenda, Chore};
use crate::capture::Sample;
use crate::deaths::counts_as_death;
use crate::error::SuperviseError;
use crate::faulthandler::crashed_stack;
use crate::host::control_group::Group;
use crate::last_resort;
use crate::oom::OomLedger;
use crate::outcome::Observer;
use crate::output::Relay;
use crate::siginfo::is_from_process;
use crate::spawn::Started;
use crate::status::ThreadStatus;
use crate::sys;
use crate::timeline::MemoryWatch;
use crate::watch::{Wake, Watch};

/// A program's libraries are loaded in its first moments; later looks only find what changed.
const FIRST_LOOK: Duration = Duration::from_millis(100);
const LONGEST_BETWEEN_LOOKS: Duration = Duration::from_secs(5);
/// How long what the program uses is not looked at again, as a multiple of what it took.
const REST_FACTOR: u32 = 250;

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
    watch.report_stops();
    let mut sight = Sight::of(started.pid);
    let status = sight.wait_for_end(watch)?;
    last_resort::has_ended(status);
    if let Some(failure) = started.failure() {
        return Err(failure);
    }
    if libc::WIFSIGNALED(status)
        && let Some(capture) = sight.capture(status, &missing, relay)
    {
        observer.died(with_python_stack(capture, started.pid));
    }
    Ok(status)
}

/// What is seen of the program while it runs.
struct Sight {
    pid: u32,
    sample: Option<Sample>,
    memory: MemoryWatch,
    oom: OomLedger,
    /// The program's memory control group, which cannot be asked for when it has ended.
    group: Option<Group>,
    /// How long after a look at the program the next one is made.
    pause: Duration,
    /// When the program may be asked again for what it uses of its limits.
    resources_not_before: Option<Instant>,
}

impl Sight {
    fn of(pid: u32) -> Self {
        Self {
            pid,
            sample: None,
            memory: MemoryWatch::start_without_reserve(),
            oom: OomLedger::start(pid),
            group: None,
            pause: FIRST_LOOK,
            resources_not_before: None,
        }
    }

    fn wait_for_end(&mut self, watch: &mut Watch) -> Result<i32, SuperviseError> {
        let pid = self.pid;
        let mut agenda = Agenda::default();
        agenda.set(Chore::Memory, Instant::now(), Duration::ZERO);
        agenda.set(Chore::Look, Instant::now(), self.pause);
        let mut stop_due = None;
        loop {
            while let Some(chore) = agenda.take_due(Instant::now()) {
                if let Some(pause) = self.do_chore(chore) {
                    agenda.set(chore, Instant::now(), pause);
                }
            }
            let patience = match stop_due {
                Some(_) => Some(Duration::ZERO),
                None => agenda.patience(Instant::now()),
            };
            match watch.next(patience) {
                Ok(Wake::Change { thread, status }) if thread == pid => {
                    if libc::WIFSTOPPED(status) {
                        stop_due = Some(libc::WSTOPSIG(status));
                    } else if libc::WIFCONTINUED(status) {
                        stop_due = None;
                    } else {
                        return Ok(status);
                    }
                }
                Ok(Wake::Change { .. }) => {}
                // Stops as the program did, and again where it was only continued to take notice of something.
                Ok(Wake::TimedOut) => {
                    stop_due = stop_due.filter(|signal| watch.stop_with(*signal));
                    // At once: later, the program may have stopped again.
                    if let Some(signal) = watch.take_continuation() {
                        stop_due = None;
                        pass_on(pid, &signal);
                    }
                }
                Ok(Wake::Signal(signal)) => {
                    if signal.ssi_signo == libc::SIGCONT as u32 {
                        stop_due = None;
                    }
                    pass_on(pid, &signal);
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

    fn do_chore(&mut self, chore: Chore) -> Option<Duration> {
        match chore {
            Chore::Memory => {
                let pause = self.memory.tick(std::iter::once(self.pid));
                if let Some((pid, group)) = self.memory.watched() {
                    self.oom.tick(pid, group);
                    self.group = Some(group.clone());
                }
                Some(pause)
            }
            Chore::Look => {
                let now = self.look();
                if now.has_maps() {
                    self.sample = Some(now);
                }
                self.pause = (self.pause * 2).min(LONGEST_BETWEEN_LOOKS);
                Some(self.pause)
            }
            // Only where processes are traced.
            Chore::SlowDeaths | Chore::Mappings | Chore::Progress => None,
        }
    }

    fn look(&mut self) -> Sample {
        let before = self.oom.baseline();
        let mut sample = Sample::without_resources(self.pid, Role::Main, before, Gaps::default());
        // A process that has ended has nothing to show, and what was found before stands.
        if !sample.has_maps() && self.sample.is_some() {
            return sample;
        }
        let begin = Instant::now();
        let may_ask = self
            .resources_not_before
            .is_none_or(|moment| begin >= moment);
        match &mut self.sample {
            Some(earlier) if !may_ask => sample.keep_resources_of(earlier),
            _ => {
                sample.read_resources(self.pid, before);
                let took = begin.elapsed();
                self.resources_not_before = Some(begin + took + took * REST_FACTOR);
            }
        }
        sample
    }

    /// What can be told of the program's end, if it is a death.
    fn capture(mut self, status: i32, missing: &Gap, relay: &Relay) -> Option<CaptureFile> {
        let signal = Signal(libc::WTERMSIG(status));
        let judged =
            (signal == Signal::KILL).then(|| self.oom.judge_member(self.pid, self.group.as_ref()));
        let out_of_memory = judged
            .as_ref()
            .is_some_and(|(killed, _)| *killed == Some(true));
        if !counts_as_death(signal, Role::Main, Some(out_of_memory)) {
            return None;
        }
        let kind = if out_of_memory {
            EndingKind::OomKill
        } else {
            EndingKind::Signal
        };
        let mut sample = self.sample.take().unwrap_or_else(|| self.look());
        sample.set_timeline(self.memory.timeline(std::iter::empty(), self.pid, true));
        let mut evidence = judged.map(|(_, evidence)| evidence);
        if let Some(evidence) = &mut evidence {
            self.oom.complete(self.pid, evidence);
        }
        sample.set_oom(evidence);
        let mut unnamed = sample.into_capture(ending(kind, signal, status), missing);
        unnamed.add_kernel_log(&mut self.oom);
        Some(unnamed.name(relay))
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

/// Passes a signal on that a process sent to crashlens. Whether it was sent to the whole group cannot be seen here; better
/// twice than never.
fn pass_on(program: u32, signal: &siginfo) {
    if is_from_process(signal.ssi_code) {
        let _ = sys::kill(program, signal.ssi_signo as i32);
    }
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
