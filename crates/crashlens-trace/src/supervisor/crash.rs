//! Signals and exits of tracees: when to look, and what the death was.

use std::time::{Duration, Instant};

use crashlens_core::{Ending, EndingKind, Gaps, OomEvidence, Registers, Role, Signal};

use super::{Aim, Supervisor};
use crate::agenda::Chore;
use crate::capture::{Dying, Unnamed, read_dying};
use crate::deaths::{counts_as_death, dumps_core, is_first_chance, may_be_ignored};
use crate::event::{Event, decode_event};
use crate::siginfo::SignalRecord;
use crate::status::ThreadStatus;
use crate::tracee::{Death, TracedProcess};
use crate::{calls, interruption, parent};

/// A process that got its fatal signal so long ago is reported dead, although it has not ended: it is
/// held up in the kernel.
const REPORT_ANYWAY: Duration = Duration::from_secs(2);

/// When it is first looked at why a process has not ended.
const FIRST_LOOK: Duration = Duration::from_millis(50);

/// The signal that explains a death, where it was received, and with which registers.
struct Cause {
    record: SignalRecord,
    thread: Option<u32>,
    registers: Option<Registers>,
    /// Whether a handler received it first and raised it again.
    raised_again: bool,
}

impl Supervisor<'_> {
    /// A thread is about to receive a signal.
    pub(super) fn signal_arrived(&mut self, thread: u32, process: u32, number: i32) {
        let signal = Signal(number);
        let mut gaps = Gaps::default();
        let record = calls::signal_record(thread).unwrap_or_else(|errno| {
            gaps.add("code and address of the signal", errno.desc(), None);
            SignalRecord::bare(signal)
        });
        if record.signal != signal {
            // It was killed while it stood here, and stands at its exit now: to resume it would be to lose that event.
            return;
        }
        if process == self.main {
            self.deliveries.note(&record);
        }
        if dumps_core(signal) {
            self.look_at_signal(thread, process, record, gaps);
            self.resume_frozen(process);
        }
        if let Some(process) = self.tree.process(process) {
            process.last_signal = Some((thread, record));
        }
        if self.is_spared_by_tracing(thread, process, &record) {
            self.let_die(thread, process, number);
            return;
        }
        if may_be_ignored(signal) {
            interruption::undo(thread);
        }
        self.resume(thread, number);
    }

    /// Resumes the threads that were stopped to be read, before the fatal signal is delivered. It ends them all, and what
    /// is resumed after that may be a thread at its exit, where the process is to be held until its death is reported.
    fn resume_frozen(&mut self, process: u32) {
        let tree = &self.tree;
        let frozen = self.watch.take_deferred(|thread, status| {
            tree.known_process_of(thread) == Some(process)
                && decode_event(status, None) == Event::Interrupted
        });
        for (thread, status) in frozen {
            self.answer(thread, status);
        }
    }

    /// Captures the process if the signal will end it; remembers the fault if a handler will receive it.
    fn look_at_signal(&mut self, thread: u32, process: u32, record: SignalRecord, gaps: Gaps) {
        let Some(known) = self.tree.process(process) else {
            return;
        };
        if !matches!(known.death, Death::None) && !known.may_live_on {
            return;
        }
        let registers = calls::registers(thread).ok();
        if registers
            .is_some_and(|registers| known.faults.count_routine(record.signal, registers.pc()))
        {
            return;
        }
        // Where this cannot be read, the exit event is the second opportunity.
        let Ok(status) = ThreadStatus::read(thread) else {
            return;
        };
        if !status.takes_default_action(record.signal) {
            if let Some(registers) = registers.filter(|_| is_first_chance(record.signal)) {
                known.faults.remember(thread, record, registers);
            }
            return;
        }
        let own_ids = status.own_ids();
        let first = known
            .faults
            .raised_again(&record, thread, registers.as_ref(), &own_ids);
        let mut record = record;
        if record
            .sender
            .is_some_and(|sender| own_ids.contains(&sender))
        {
            // In a container a process knows itself by another number, and would seem to be a stranger.
            record.sender = Some(process);
        }
        let cause = match first {
            Some(first) => Cause {
                record: first.record,
                thread: Some(first.thread),
                registers: Some(first.registers),
                raised_again: true,
            },
            None => Cause {
                record,
                thread: Some(thread),
                registers,
                raised_again: false,
            },
        };
        self.capture(process, &cause, EndingKind::Signal, None, gaps);
    }

    /// A thread is about to end. If a signal ended its process, nothing can save it now, and its parent does not know yet.
    pub(super) fn exiting(&mut self, thread: u32, process: u32, status: Option<i32>) {
        let Some(status) = status.filter(|status| status & 0x7f != 0) else {
            return;
        };
        self.look_at_exit(thread, process, Signal(status & 0x7f));
        if self.is_reported_while_held(process) {
            self.report_held(process, status);
        }
    }

    /// If the process was killed and that was not seen coming, this is the last moment to look: SIGKILL, a seccomp filter,
    /// a handler that could not be entered, an alarm.
    fn look_at_exit(&mut self, thread: u32, process: u32, signal: Signal) {
        let role = self.role_of(process);
        let Some(known) = self.tree.process(process) else {
            return;
        };
        if !matches!(known.death, Death::None) || known.killed_on_purpose {
            return;
        }
        let (out_of_memory, mut evidence) = if signal == Signal::KILL {
            self.memory.release_ballast();
            let (killed, evidence) = self.oom.judge(process);
            (killed, Some(evidence))
        } else {
            (Some(false), None)
        };
        if !counts_as_death(signal, role, out_of_memory) {
            known.killed_on_purpose = signal == Signal::KILL;
            return;
        }
        if let Some(evidence) = &mut evidence {
            self.oom.complete(process, evidence);
        }
        let cause = cause_at_exit(known, signal, thread);
        let kind = if out_of_memory == Some(true) {
            EndingKind::OomKill
        } else {
            EndingKind::Signal
        };
        self.capture(process, &cause, kind, evidence, Gaps::default());
        if let Some(known) = self.tree.process(process) {
            // A seccomp filter may kill the one thread that called, and not the process.
            known.may_live_on = signal == Signal(libc::SIGSYS);
        }
    }

    fn capture(
        &mut self,
        process: u32,
        cause: &Cause,
        kind: EndingKind,
        oom: Option<OomEvidence>,
        gaps: Gaps,
    ) {
        self.watch.rest();
        let role = self.role_of(process);
        let reaped = cause.record.signal == Signal::KILL;
        let timeline = self
            .memory
            .timeline(self.tree.process_ids(), process, reaped);
        let Some(known) = self.tree.process(process) else {
            return;
        };
        let ending = Ending {
            kind,
            signal: Some(cause.record.signal),
            code: cause.record.code_name(),
            address: cause.record.address,
            sender_pid: cause.record.sender,
            wait_status: None,
            exit_code: None,
            earlier_faults: known.faults.listed(),
            raised_again: cause.raised_again,
        };
        let dying = Dying {
            process,
            role,
            ending,
            thread: cause.thread,
            registers_at_fault: cause.registers,
            earlier: cause
                .record
                .address
                .and_then(|address| known.mapped.find(address.0, Instant::now())),
            locals: self.options.locals,
            timeline,
            oom,
            lineage: known.birth.lineage(),
            gaps,
        };
        let mut unnamed = read_dying(&mut self.tree, self.watch, self.oom.baseline(), dying);
        if role == Role::Child
            && let Some(parent) = self.tree.known_process_of(unnamed.parent())
        {
            // While the child stands still, whose end would change what its parent does.
            unnamed.set_parent(parent::look(parent, self.options.locals));
        }
        if let Some(known) = self.tree.process(process) {
            known.death = Death::Captured(Box::new(unnamed));
            known.may_live_on = false;
            if self.death_pending_since.is_none() {
                let now = Instant::now();
                self.death_pending_since = Some(now);
                self.agenda.set(Chore::SlowDeaths, now, FIRST_LOOK);
            }
        }
    }

    /// Whether a death is reported before it can be seen from outside: by the parent of a worker, and by the shell or
    /// the container of a process that was joined. For the end of a program that `run` has started, only we wait.
    fn is_reported_while_held(&self, process: u32) -> bool {
        self.aim == Aim::Attach || process != self.main
    }

    fn report_held(&mut self, process: u32, status: i32) {
        let known = self.tree.process(process);
        // Where one thread may have been killed alone, the end of the process decides.
        if let Some(known) = known.filter(|known| !known.may_live_on)
            && let Death::Captured(unnamed) = &mut known.death
        {
            unnamed.ending_mut().wait_status = Some(status);
            self.report_unfinished(process);
        }
    }

    /// Tells the observer of the death of a process that has ended with `status`.
    pub(super) fn ended_with(&mut self, process: TracedProcess, status: i32) {
        let Death::Captured(mut unnamed) = process.death else {
            return;
        };
        let ending = unnamed.ending_mut();
        ending.wait_status = Some(status);
        let signal = Some(Signal(libc::WTERMSIG(status)));
        // The first process of a container ignores what would end others: a process that exits by itself did
        // not die of what was seen.
        let died = libc::WIFSIGNALED(status) && (!process.may_live_on || ending.signal == signal);
        if died {
            self.tell(unnamed);
        }
        self.reset_patience();
    }

    fn tell(&mut self, mut unnamed: Box<Unnamed>) {
        self.watch.rest();
        unnamed.add_kernel_log(&mut self.oom);
        let capture = unnamed.name(self.relay);
        self.relay.beside(|| self.observer.died(capture));
    }

    fn reset_patience(&mut self) {
        if self.deaths_pending().is_empty() {
            self.death_pending_since = None;
            self.agenda.cancel(Chore::SlowDeaths);
        }
    }

    fn deaths_pending(&mut self) -> Vec<u32> {
        let pending = self
            .tree
            .processes()
            .filter(|(_, known)| matches!(known.death, Death::Captured(_)) && !known.may_live_on);
        pending.map(|(id, _)| id).collect()
    }

    /// Reports deaths of processes that take long to end, because a core file of theirs is being written or
    /// because they are held up in the kernel. Says when to look again.
    pub(super) fn report_slow_deaths(&mut self) -> Option<Duration> {
        let waited = self
            .death_pending_since
            .is_some_and(|since| since.elapsed() >= REPORT_ANYWAY);
        for process in self.deaths_pending() {
            let dumping = ThreadStatus::read(process).is_ok_and(|status| status.is_dumping_core());
            if waited || dumping {
                self.report_unfinished(process);
            }
        }
        self.reset_patience();
        // The longer it takes, the less a moment matters.
        let since = self.death_pending_since?;
        Some(FIRST_LOOK.max(since.elapsed() / 10))
    }

    /// Reports what is known when supervision ends.
    pub(super) fn report_all_deaths(&mut self) {
        for process in self.deaths_pending() {
            self.report_unfinished(process);
        }
    }

    pub(super) fn report_unfinished(&mut self, process: u32) {
        let Some(known) = self.tree.process(process) else {
            return;
        };
        if let Death::Captured(unnamed) = std::mem::replace(&mut known.death, Death::Reported) {
            self.tell(unnamed);
        }
        self.reset_patience();
    }
}

/// What is known of a signal that shows only at the exit.
fn cause_at_exit(process: &TracedProcess, signal: Signal, thread: u32) -> Cause {
    if let Some(fault) = process.faults.latest(signal) {
        return Cause {
            record: fault.record,
            thread: Some(fault.thread),
            registers: Some(fault.registers),
            raised_again: false,
        };
    }
    if let Some((thread, record)) = process
        .last_signal
        .filter(|(_, record)| record.signal == signal)
    {
        return Cause {
            record,
            thread: Some(thread),
            registers: None,
            raised_again: false,
        };
    }
    // SIGKILL ends all threads alike. Of the other signals, the thread that took it is the first to end.
    let thread = (signal != Signal::KILL).then_some(thread);
    Cause {
        record: SignalRecord::bare(signal),
        thread,
        registers: None,
        raised_again: false,
    }
}
