//! The loop of the tracer: one match over what happened to a tracee.
//!
//! All ptrace calls come from the one thread that runs this. What a stop means is decided in
//! [`crate::event`] and [`crate::deaths`]; here it is answered. Every stop is answered exactly once,
//! whatever fails: a tracee that cannot be resumed is let go.

mod crash;
mod exec;
mod first_process;
mod forward;
mod hang;
mod job;
pub(crate) mod privilege;
pub(crate) mod release;

use std::time::{Duration, Instant};

use crashlens_core::{Gaps, Origin, Role};
use nix::errno::Errno;

use crate::agenda::{Agenda, Chore};
use crate::calls::{self, Resume};
use crate::error::SuperviseError;
use crate::event::{Event, decode_event, has_message};
use crate::lineage::Birth;
use crate::oom::OomLedger;
use crate::outcome::{Observer, Options};
use crate::output::Relay;
use crate::progress::Idleness;
use crate::timeline::MemoryWatch;
use crate::tracee::Tree;
use crate::watch::{Wake, Watch};
use crate::{last_resort, map_history};
use forward::Deliveries;
use privilege::may_trace_privileged;
use release::release_all;

/// The kernel is asked again this often when it does not say what happened.
const MAX_WAIT_FAILURES: u32 = 16;

/// What signals to crashlens are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    /// We started the program: they are meant for it.
    Run,
    /// We joined it: they mean that we should leave.
    Attach,
}

/// How supervision ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The main process ended, with the status `waitpid` gave.
    Ended(i32),
    /// We were asked to leave.
    LetGo,
}

/// Supervises one tree of processes.
pub(crate) struct Supervisor<'a> {
    watch: &'a mut Watch,
    observer: &'a mut dyn Observer,
    relay: &'a Relay,
    pub(crate) tree: Tree,
    main: u32,
    aim: Aim,
    options: Options,
    end: Option<End>,
    /// Whether the main process has become the program it was started for.
    pub(crate) began: bool,
    /// Whether the main process was stopped and not yet continued.
    main_stands_still: bool,
    /// The signal with which crashlens is to stop, as the program did.
    stop_due: Option<i32>,
    deliveries: Deliveries,
    /// Kills for lack of memory.
    oom: OomLedger,
    /// Since when a death waits to be reported.
    death_pending_since: Option<Instant>,
    /// What is to be done by the clock.
    agenda: Agenda,
    /// Memory of all processes over time.
    memory: MemoryWatch,
    /// How long there was no progress, where hangs are to be reported.
    idleness: Option<Idleness>,
    /// What could not be seen of the run as a whole.
    pub(crate) gaps: Gaps,
}

impl<'a> Supervisor<'a> {
    pub(crate) fn new(
        main: u32,
        aim: Aim,
        options: &Options,
        watch: &'a mut Watch,
        relay: &'a Relay,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let mut tree = Tree::default();
        tree.add(main, main);
        tree.set_birth(main, Birth::of(Origin::Started));
        Self {
            watch,
            observer,
            relay,
            tree,
            main,
            aim,
            options: options.clone(),
            end: None,
            began: aim == Aim::Attach,
            main_stands_still: false,
            stop_due: None,
            deliveries: Deliveries::default(),
            oom: OomLedger::start(main),
            death_pending_since: None,
            agenda: Agenda::default(),
            memory: MemoryWatch::start(),
            idleness: None,
            gaps: Gaps::default(),
        }
    }

    /// Takes over threads that are traced already.
    pub(crate) fn join(&mut self, tree: Tree) {
        self.tree = tree;
        self.tree.set_all_joined();
    }

    /// Supervises until the main process has ended or we are asked to leave.
    pub(crate) fn run(&mut self) -> Result<End, SuperviseError> {
        if !may_trace_privileged() {
            self.step_new_processes();
        }
        let now = Instant::now();
        self.agenda
            .set(Chore::Mappings, now, map_history::FIRST_PAUSE);
        self.agenda.set(Chore::Memory, now, Duration::ZERO);
        self.watch_progress();
        let mut failures = 0;
        let end = loop {
            if let Some(end) = self.end {
                break end;
            }
            self.do_chores();
            let patience = match self.stop_due {
                Some(_) => Some(Duration::ZERO),
                None => self.agenda.patience(Instant::now()),
            };
            match self.watch.next(patience) {
                Ok(Wake::Change { thread, status }) => self.answer(thread, status),
                Ok(Wake::Signal(signal)) => self.received(&signal),
                Ok(Wake::TimedOut) => self.stop_if_due(),
                Ok(Wake::NothingLeft) => return Err(self.cannot_wait(Errno::ECHILD)),
                Err(errno) if failures >= MAX_WAIT_FAILURES => return Err(self.cannot_wait(errno)),
                Err(_) => failures += 1,
            }
        };
        self.watch.rest();
        self.report_all_deaths();
        release_all(&self.tree, self.watch);
        Ok(end)
    }

    fn cannot_wait(&self, source: Errno) -> SuperviseError {
        SuperviseError::Wait {
            pid: self.main,
            source,
        }
    }

    /// Does what is due. Also between events, which may come without a pause.
    fn do_chores(&mut self) {
        let now = Instant::now();
        while let Some(chore) = self.agenda.take_due(now) {
            let pause = match chore {
                Chore::SlowDeaths => self.report_slow_deaths(),
                Chore::Mappings => Some(self.remember_mappings()),
                Chore::Progress => self.look_for_hang(),
                Chore::Memory => Some(self.sample_memory()),
                // Only where tracing is refused.
                Chore::Look => None,
            };
            if let Some(pause) = pause {
                self.agenda.set(chore, Instant::now(), pause);
            }
        }
    }

    /// Takes a sample of all memory and looks for kills; says when to do so again.
    fn sample_memory(&mut self) -> Duration {
        let pause = self.memory.tick(self.tree.process_ids());
        if let Some((process, group)) = self.memory.watched() {
            self.oom.tick(process, group);
        }
        pause
    }

    /// Answers one change of a tracee.
    fn answer(&mut self, thread: u32, status: i32) {
        let message = has_message(status)
            .then(|| calls::event_message(thread).ok())
            .flatten();
        let event = decode_event(status, message);
        if let Event::Ended { status } = event {
            self.ended(thread, status);
            return;
        }
        let process = self.tree.process_of(thread);
        self.tree.set_stopped(thread, true);
        if self.tree.is_new_thread(thread)
            && let Ok(registers) = calls::registers(thread)
        {
            self.tree
                .set_control_block(thread, registers.thread_pointer().0);
        }
        self.main_stands_still &= thread != self.main;
        match event {
            Event::Signal { signal } => self.signal_arrived(thread, process, signal),
            Event::GroupStop { signal } => {
                self.resume_with(thread, Resume::Listen, 0);
                self.stopped_by(thread, signal);
            }
            Event::Cloned { tracee } => {
                self.meet(tracee, process);
                self.resume(thread, 0);
            }
            Event::Exec { .. } => self.became_another_program(thread, process),
            Event::Exiting { status } => {
                self.exiting(thread, process, status);
                self.tree.set_exiting(thread);
                self.resume(thread, 0);
            }
            Event::SystemCall => self.system_call(thread, process),
            Event::Forked | Event::Interrupted | Event::Other | Event::Ended { .. } => {
                self.resume(thread, 0);
            }
        }
    }

    /// A thread of `process` made a new thread, or a process whose end is not announced by SIGCHLD: `clone` makes both, and
    /// the event does not say which.
    fn meet(&mut self, tracee: Option<u32>, process: u32) {
        let Some(tracee) = tracee else { return };
        let is_thread = std::fs::exists(format!("/proc/{process}/task/{tracee}")).unwrap_or(false);
        if is_thread {
            self.tree.add(tracee, process);
        }
    }

    fn ended(&mut self, thread: u32, status: i32) {
        if thread == self.main {
            last_resort::has_ended(status);
            self.end = Some(End::Ended(status));
        }
        if let Some(process) = self.tree.remove(thread) {
            self.ended_with(process, status);
        }
    }

    /// Lets a stopped tracee go on.
    fn resume(&mut self, thread: u32, signal: i32) {
        let how = if self.tree.is_stepped(thread) {
            Resume::ToSystemCall
        } else {
            Resume::Run
        };
        self.resume_with(thread, how, signal);
    }

    fn resume_with(&mut self, thread: u32, how: Resume, signal: i32) {
        self.tree.set_stopped(thread, false);
        let result = calls::resume(thread, how, signal);
        match result.or_else(|_| calls::resume(thread, how, signal)) {
            // Killed while it was stopped; its exit event is on the way.
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(errno) => self.let_go(thread, signal, errno),
        }
    }

    /// Stops tracing a thread that cannot be resumed: better unseen than stopped for ever.
    fn let_go(&mut self, thread: u32, signal: i32, errno: Errno) {
        self.gaps.add(
            format!("further events of thread {thread}"),
            errno.desc(),
            None,
        );
        if calls::detach(thread, signal).is_err() {
            let _ = calls::resume(thread, Resume::Run, signal);
        } else if thread != self.main {
            // Of the main process, whose child we are not only as a tracer, the end is still reported.
            self.tree.remove(thread);
        }
    }

    fn role_of(&self, process: u32) -> Role {
        if process == self.main {
            Role::Main
        } else {
            Role::Child
        }
    }
}
