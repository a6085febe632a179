//! A tree that makes no progress: looked at by the clock, and reported once with all its stacks.

use std::time::{Duration, Instant};

use crashlens_core::{CaptureFile, Gaps};

use super::Supervisor;
use crate::agenda::Chore;
use crate::attach::alive;
use crate::capture::{Dying, Unnamed, read_dying};
use crate::event::{Event, decode_event};
use crate::interruption;
use crate::outcome::Hang;
use crate::progress::{Effort, Idleness, is_runnable};
use crate::tracee::Death;

/// Processes whose stacks are reported.
const MAX_PROCESSES: usize = 32;
/// How long processes are read and, with that, how long their frames are named: events wait meanwhile.
const READING_LIMIT: Duration = Duration::from_secs(5);
const REPORT_LIMIT: Duration = Duration::from_secs(10);

impl Supervisor<'_> {
    /// Begins to look for hangs, if that was asked for.
    pub(super) fn watch_progress(&mut self) {
        if let Some(limit) = self.options.hang_after {
            let now = Instant::now();
            let idleness = Idleness::new(limit, now);
            self.agenda.set(Chore::Progress, now, idleness.pause());
            self.idleness = Some(idleness);
        }
    }

    /// Looks whether there was progress; when next to look.
    pub(super) fn look_for_hang(&mut self) -> Option<Duration> {
        let begin = Instant::now();
        let mut effort = self.effort();
        // A program that the user has stopped makes no progress by intent; one that dies is reported as that.
        let is_held = self.main_stands_still || self.death_pending_since.is_some();
        let now = Instant::now();
        let idleness = self.idleness.as_mut()?;
        if is_held {
            idleness.restart(now, effort);
            return Some(idleness.rest_after(begin.elapsed()));
        }
        let idle = idleness.look(now, effort);
        let is_hung = idle.is_some() && !self.is_runnable();
        let took = begin.elapsed();
        if let Some(idle) = idle.filter(|_| is_hung) {
            self.report_hang(idle);
            // To be looked at is no progress.
            effort = self.effort();
        }
        let idleness = self.idleness.as_mut()?;
        idleness.forget_trifles(Instant::now(), effort);
        Some(idleness.rest_after(took))
    }

    fn effort(&mut self) -> Effort {
        let mut effort = Effort {
            changes: self.tree.changes(),
            ..Effort::default()
        };
        for process in self.processes() {
            effort.add(process);
        }
        effort
    }

    fn is_runnable(&mut self) -> bool {
        self.processes().into_iter().any(is_runnable)
    }

    /// All processes, the main one first.
    fn processes(&mut self) -> Vec<u32> {
        let mut processes: Vec<u32> = self.tree.processes().map(|(id, _)| id).collect();
        processes.sort_by_key(|process| (*process != self.main, *process));
        processes
    }

    fn report_hang(&mut self, idle: Duration) {
        let begin = Instant::now();
        let processes = self.processes();
        let mut left_out = processes.len().saturating_sub(MAX_PROCESSES);
        let mut read = Vec::new();
        for process in processes.into_iter().take(MAX_PROCESSES) {
            if begin.elapsed() >= READING_LIMIT {
                left_out += 1;
            } else if let Some(unnamed) = self.look_at(process) {
                read.push(unnamed);
            }
        }
        let mut captures: Vec<CaptureFile> = Vec::new();
        for unnamed in read {
            if begin.elapsed() >= REPORT_LIMIT && !captures.is_empty() {
                left_out += 1;
            } else {
                captures.push(unnamed.name(self.relay));
            }
        }
        if left_out > 0 {
            let part = format!("stacks of {left_out} more processes");
            let limit = REPORT_LIMIT.as_secs();
            let reason = format!("{MAX_PROCESSES} are read, and no longer than {limit} seconds");
            for file in &mut captures {
                file.capture.gaps.add(&part, &reason, None);
            }
        }
        let Some(idleness) = &mut self.idleness else {
            return;
        };
        idleness.set_reported();
        let last_progress_after = idleness.last_progress_after();
        if !captures.is_empty() {
            let hang = Hang {
                idle,
                last_progress_after,
                processes: captures,
            };
            self.relay.beside(|| self.observer.hung(hang));
        }
    }

    /// Reads a process that is not dying, and lets it go on.
    fn look_at(&mut self, process: u32) -> Option<Unnamed> {
        self.watch.rest();
        let role = self.role_of(process);
        let timeline = self
            .memory
            .timeline(self.tree.process_ids(), process, false);
        let known = self.tree.process(process)?;
        if !matches!(known.death, Death::None) {
            return None;
        }
        let looked_at = Dying {
            process,
            role,
            ending: alive(process),
            thread: None,
            registers_at_fault: None,
            earlier: None,
            oom: None,
            locals: self.options.locals,
            lineage: known.birth.lineage(),
            timeline,
            gaps: Gaps::default(),
        };
        let unnamed = read_dying(&mut self.tree, self.watch, self.oom.baseline(), looked_at);
        self.release_looked_at();
        Some(unnamed)
    }

    /// Lets threads that were stopped to be looked at go on waiting as if nothing had been.
    fn release_looked_at(&mut self) {
        while let Some((thread, status)) = self.watch.next_deferred() {
            if decode_event(status, None) == Event::Interrupted {
                interruption::undo(thread);
            }
            self.answer(thread, status);
        }
    }
}
