//! A tree that makes no progress: looked at by the clock, and reported once with all its stacks.

use std::time::{Duration, Instant};

use crashlens_core::{Ending, Gaps};

use super::Supervisor;
use crate::agenda::Chore;
use crate::capture::{Dying, read_dying};
use crate::event::{Event, decode_event};
use crate::interruption;
use crate::outcome::Hang;
use crate::progress::{Effort, Idleness, is_runnable};
use crate::tracee::Death;

/// Processes whose stacks are reported.
const MAX_PROCESSES: usize = 32;

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
        let effort = self.effort();
        // A program that the user has stopped makes no progress by intent; one that dies is reported as that.
        let is_held = self.main_stands_still || self.death_pending_since.is_some();
        let now = Instant::now();
        let idleness = self.idleness.as_mut()?;
        let pause = idleness.pause();
        if is_held {
            idleness.restart(now, effort);
            return Some(pause);
        }
        if let Some(idle) = idleness.look(now, effort)
            && !self.is_runnable()
        {
            self.report_hang(idle);
        }
        let effort = self.effort();
        self.idleness
            .as_mut()?
            .forget_trifles(Instant::now(), effort);
        Some(pause)
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
        let mut processes = self.processes();
        let left_out = processes.len().saturating_sub(MAX_PROCESSES);
        processes.truncate(MAX_PROCESSES);
        let mut captures = Vec::new();
        for process in processes {
            let role = self.role_of(process);
            let timeline = self
                .memory
                .timeline(self.tree.process_ids(), process, false);
            let Some(known) = self.tree.process(process) else {
                continue;
            };
            if !matches!(known.death, Death::None) {
                continue;
            }
            let mut gaps = Gaps::default();
            if left_out > 0 {
                let part = format!("stacks of {left_out} more processes");
                gaps.add(part, format!("those of {MAX_PROCESSES} are read"), None);
            }
            let looked_at = Dying {
                process,
                role,
                ending: Ending::running(),
                thread: None,
                registers_at_fault: None,
                earlier: None,
                oom: None,
                locals: self.options.locals,
                lineage: known.birth.lineage(),
                timeline,
                gaps,
            };
            let unnamed = read_dying(&mut self.tree, self.watch, self.oom.baseline(), looked_at);
            self.release_looked_at();
            captures.push(unnamed.name(self.relay));
        }
        if let Some(idleness) = &mut self.idleness {
            idleness.set_reported();
        }
        if !captures.is_empty() {
            self.observer.hung(Hang {
                idle,
                processes: captures,
            });
        }
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
