//! What happens at every death of a supervised tree: save the capture, tell the user, renew the report file.

use std::time::Instant;

use crashlens_core::diagnosis::Judgement;
use crashlens_core::known_issues::KnownIssues;
use crashlens_core::report::{Hang, Supervision};
use crashlens_core::{CaptureFile, CrashCapture, Death, Gap, Program, Report, Role, Run};
use crashlens_trace::{Observer, Outcome, Ready};
use nix::sys::resource::{UsageWho, getrusage};

use crate::aftermath::{self, Aftermath};
use crate::cli::HookArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::hook::Hook;
use crate::interpreter;
use crate::report::{Destination, Timing};
use crate::saved::Shelf;

/// When the environment of a dead process is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looking {
    Never,
    /// Only we wait for the program.
    BeforeReporting,
    /// The process is held while its death is reported, and a look takes too long.
    Afterwards,
}

/// Collects the deaths of one run.
///
/// Nothing here may fail the run: a capture that cannot be saved becomes a gap, and a report that cannot be
/// written to its file is shown on standard error when the program has ended.
#[derive(Debug)]
pub(crate) struct Watcher {
    report: Report,
    program: Program,
    /// Of each death in the report: rules are asked once, and more is concluded when the environment is known.
    judgements: Vec<Judgement>,
    last_death: Option<Instant>,
    /// What could not be looked at after a death.
    unseen: Vec<Gap>,
    /// The first that was one of Python, and its place in the report, for the look at its environment.
    first_of_python: Option<(usize, CrashCapture)>,
    destination: Destination,
    shelf: Shelf,
    looking: Looking,
    /// What the user wants to be run at a death.
    hook: Option<Hook>,
    /// Says that a running process is watched.
    ready: Option<Ready>,
}

impl Watcher {
    /// Watches a run of this program.
    pub(crate) fn new(
        program: Program,
        destination: Destination,
        shelf: Shelf,
        looking: Looking,
    ) -> Self {
        let run = Run {
            argv: program.command.clone(),
            ..Run::default()
        };
        Self {
            program,
            report: Report::of_deaths(run, Vec::new()),
            judgements: Vec::new(),
            last_death: None,
            unseen: Vec::new(),
            first_of_python: None,
            destination,
            shelf,
            looking,
            hook: None,
            ready: None,
        }
    }

    /// Runs what the arguments say at every death.
    pub(crate) fn with_hook(self, args: &HookArgs) -> Self {
        let hook = args.on_death.clone().map(Hook::new);
        Self { hook, ..self }
    }

    /// Says when a running process is watched.
    pub(crate) fn announcing(self, ready: Option<Ready>) -> Self {
        Self { ready, ..self }
    }

    /// The program has ended; `complete` adds what is known of the run now.
    pub(crate) fn finish(mut self, complete: impl FnOnce(&mut Run)) {
        let Report { run, deaths, .. } = &mut self.report;
        complete(run);
        run.own_cpu_seconds = own_cpu_seconds();
        let main = deaths.iter().find(|death| death.role == Role::Main);
        if run.argv.is_empty() {
            run.argv = main.map(|death| death.command.clone()).unwrap_or_default();
        }
        let is_done = main.is_some() && self.looking == Looking::BeforeReporting;
        if self.looking != Looking::Never && !is_done {
            self.look_around();
        }
        self.report.run.gaps.append(&mut self.unseen);
        if let Err(failure) = self.renew(Timing::Ended) {
            self.destination.show_instead(&self.report, &failure);
        }
    }

    /// Looks at the environment that a process died in.
    fn look_around(&mut self) {
        let Some((index, capture)) = self.first_of_python.take() else {
            return;
        };
        let death = self.report.deaths.get(index);
        match death.and_then(|death| aftermath::look(death, capture)) {
            Some(Ok(Aftermath { inspection, python })) => {
                let is_there =
                    |death: &Death| interpreter::of_death(death).as_ref() == Some(&python);
                self.report
                    .add_environment(inspection, &self.judgements, is_there);
            }
            Some(Err(gap)) => self.unseen.push(gap),
            None => {}
        }
    }

    /// Writes what is due now.
    fn renew(&self, timing: Timing) -> Result<(), Failure> {
        self.destination
            .renew(&self.report, timing, ExitStatus::Failed)
    }
}

impl Observer for Watcher {
    fn joined(&mut self) {
        if let Some(ready) = self.ready.take() {
            ready.announce();
        }
    }

    fn died(&mut self, mut file: CaptureFile) {
        let process = &mut file.capture.process;
        if process.role == Role::Main && process.command.is_empty() {
            // Of a process that was killed for memory, the kernel may have taken the arguments with the rest.
            process.command.clone_from(&self.report.run.argv);
        }
        file.capture.circumstances.program = Some(self.program.clone());
        let (mut death, judgement) = Death::judge(&file.capture, KnownIssues::built_in());
        self.shelf.keep(&file, &mut death);
        let is_first = self.first_of_python.is_none() && death.environment.python.is_some();
        if self.looking != Looking::Never && is_first {
            self.first_of_python = Some((self.report.deaths.len(), file.capture));
        }
        let is_the_program = death.role == Role::Main;
        self.report.deaths.push(death);
        self.judgements.push(judgement);
        self.last_death = Some(Instant::now());
        if self.looking == Looking::BeforeReporting && is_the_program {
            self.look_around();
        }
        // What cannot be written now may find room at the end.
        let _ = self.renew(Timing::Died);
        if let Some(hook) = &self.hook {
            hook.run(&self.report);
        }
    }

    fn hung(&mut self, hang: crashlens_trace::Hang) {
        // After a death that others went on from, something else is waited for.
        let last = self.report.deaths.last().zip(self.last_death);
        let died_before = last
            .filter(|(_, at)| *at >= hang.last_progress_after)
            .map(|(death, _)| death.pid);
        let captures = hang.processes.iter().map(|file| &file.capture);
        let mut described = Hang::new(hang.idle.as_secs_f64(), died_before, captures);
        for (file, process) in hang.processes.iter().zip(&mut described.processes) {
            self.shelf.keep_if_named(file, process);
        }
        self.report.hangs.push(described);
        let _ = self.renew(Timing::Hung);
    }
}

/// What the outcome says of the run.
pub(crate) fn run_of(run: &mut Run, outcome: &Outcome) {
    run.exit_code = Some(i32::from(outcome.exit_code()));
    run.wait_status = Some(outcome.wait_status);
    run.duration_seconds = Some(outcome.duration.as_secs_f64());
    run.supervision = Some(match outcome.supervision {
        crashlens_trace::Supervision::Traced => Supervision::Traced,
        crashlens_trace::Supervision::Degraded => Supervision::Degraded,
    });
    run.gaps.clone_from(&outcome.gaps.0);
}

fn own_cpu_seconds() -> Option<f64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    let seconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Some(seconds(usage.user_time()) + seconds(usage.system_time()))
}
