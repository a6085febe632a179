//! The traced threads and the processes they belong to.

use std::collections::BTreeMap;

use crashlens_core::Origin;

use crate::capture::Unnamed;
use crate::faults::FaultHistory;
use crate::last_resort;
use crate::lineage::{Birth, Crowd};
use crate::map_history::MapHistory;
use crate::siginfo::SignalRecord;
use crate::starters::Starters;
use crate::status::ThreadStatus;

/// One traced thread.
#[derive(Debug)]
struct Tracee {
    process: u32,
    /// Whether it stands in a stop that was reported and not yet ended by us.
    stopped: bool,
    /// Whether it has passed its exit event. It never stops again; the first thread of a process stays
    /// listed like this while other threads live on.
    exiting: bool,
    /// How many more stops at system calls are made in waiting for it to start a program.
    steps: u16,
    /// Address of its control block, for a thread that was made under our eyes.
    control_block: Option<u64>,
}

/// Stops made in waiting for a new process to start a program: two for each system call. `subprocess` and
/// shells make a few dozen.
pub(crate) const STEPS_OF_NEW_PROCESS: u16 = 300;
/// The same for a program that usually starts another in its place; it is loaded and reads its settings first.
pub(crate) const STEPS_OF_WRAPPER: u16 = 1000;

/// One traced process.
#[derive(Default)]
pub(crate) struct TracedProcess {
    /// Faults its handlers received.
    pub(crate) faults: FaultHistory,
    /// What was mapped in it.
    pub(crate) mapped: MapHistory,
    /// The last signal that was passed to it, and the thread it reached.
    pub(crate) last_signal: Option<(u32, SignalRecord)>,
    /// How far its death has come.
    pub(crate) death: Death,
    /// Whether it may be that only one thread was killed, and the process lives on.
    pub(crate) may_live_on: bool,
    /// Whether it was killed and that is no death to be explained: found at the exit of its first thread, and not
    /// to be asked again at that of every other.
    pub(crate) killed_on_purpose: bool,
    /// How it came to be.
    pub(crate) birth: Birth,
    /// Who started its threads.
    starters: Starters,
}

/// How far the death of a process has come.
#[derive(Default)]
pub(crate) enum Death {
    /// It lives.
    #[default]
    None,
    /// Its stacks have been read, and the fatal signal passed on.
    Captured(Box<Unnamed>),
    /// The observer has been told.
    Reported,
}

/// All traced threads and processes.
#[derive(Default)]
pub(crate) struct Tree {
    threads: BTreeMap<u32, Tracee>,
    processes: BTreeMap<u32, TracedProcess>,
    steps_of_new_process: u16,
    /// Threads that have come or gone.
    changes: u64,
}

impl Tree {
    /// Adds a thread whose process is known.
    pub(crate) fn add(&mut self, thread: u32, process: u32) {
        let steps = if thread == process {
            self.steps_of_new_process
        } else {
            0
        };
        let tracee = Tracee {
            process,
            stopped: false,
            exiting: false,
            steps,
            control_block: None,
        };
        self.changes = self.changes.wrapping_add(1);
        self.threads.entry(thread).or_insert(tracee);
        self.processes.entry(process).or_default();
    }

    /// The process of a thread. A thread that is seen for the first time is added: its first stop may be
    /// reported before the event that announces it.
    pub(crate) fn process_of(&mut self, thread: u32) -> u32 {
        if let Some(tracee) = self.threads.get(&thread) {
            return tracee.process;
        }
        let status = ThreadStatus::read(thread);
        let process = status.as_ref().map_or(thread, ThreadStatus::process);
        let is_new_process = process == thread && !self.processes.contains_key(&process);
        self.add(thread, process);
        if let (true, Ok(status)) = (is_new_process, status) {
            let parent = status.parent();
            let crowd = self.crowd(parent);
            self.set_birth(process, Birth::forked(parent, crowd));
        }
        process
    }

    /// Notes how a process came to be.
    pub(crate) fn set_birth(&mut self, process: u32, birth: Birth) {
        if let Some(process) = self.processes.get_mut(&process) {
            process.birth = birth;
        }
    }

    /// Notes of all processes that they were there before us.
    pub(crate) fn set_all_joined(&mut self) {
        for process in self.processes.values_mut() {
            process.birth = Birth::of(Origin::Joined);
        }
    }

    /// The threads of a process that has just forked; `None` for one that is not of the tree. A process with one
    /// thread, as shells are, costs nothing here.
    fn crowd(&mut self, process: u32) -> Option<Crowd> {
        let own = |(_, tracee): &(&u32, &Tracee)| tracee.process == process && !tracee.exiting;
        let own = self.threads.iter().filter(own);
        let threads: Vec<_> = own
            .map(|(thread, tracee)| (*thread, tracee.control_block))
            .collect();
        let others: Vec<_> = threads
            .iter()
            .copied()
            .filter(|(thread, _)| *thread != process)
            .collect();
        let known = self.processes.get_mut(&process)?;
        let (starters, complete) = known.starters.of(process, &others);
        Some(Crowd {
            threads: threads.len() as u64,
            starters,
            complete,
        })
    }

    /// Whether a thread that was made under our eyes has not been asked for its control block yet.
    pub(crate) fn is_new_thread(&self, thread: u32) -> bool {
        self.threads
            .get(&thread)
            .is_some_and(|tracee| tracee.process != thread && tracee.control_block.is_none())
    }

    /// Notes where a thread's control block is.
    pub(crate) fn set_control_block(&mut self, thread: u32, block: u64) {
        if let Some(tracee) = self.threads.get_mut(&thread) {
            tracee.control_block = Some(block);
        }
    }

    /// The process of a thread that is known.
    pub(crate) fn known_process_of(&self, thread: u32) -> Option<u32> {
        self.threads.get(&thread).map(|tracee| tracee.process)
    }

    /// A process that is known.
    pub(crate) fn process(&mut self, process: u32) -> Option<&mut TracedProcess> {
        self.processes.get_mut(&process)
    }

    /// All processes.
    pub(crate) fn processes(&mut self) -> impl Iterator<Item = (u32, &mut TracedProcess)> {
        self.processes
            .iter_mut()
            .map(|(id, process)| (*id, process))
    }

    /// The ids of all processes.
    pub(crate) fn process_ids(&self) -> impl Iterator<Item = u32> {
        self.processes.keys().copied()
    }

    /// Notes that a thread stands still, or goes on.
    pub(crate) fn set_stopped(&mut self, thread: u32, stopped: bool) {
        if let Some(tracee) = self.threads.get_mut(&thread) {
            tracee.stopped = stopped;
            last_resort::note(thread, stopped);
        }
    }

    /// From now on new processes are stepped up to their first program.
    pub(crate) fn step_new_processes(&mut self) {
        self.steps_of_new_process = STEPS_OF_NEW_PROCESS;
    }

    /// How many stops at system calls are to be made.
    pub(crate) fn set_steps(&mut self, thread: u32, steps: u16) {
        if let Some(tracee) = self.threads.get_mut(&thread) {
            tracee.steps = steps;
        }
    }

    /// One stop at a system call was made.
    pub(crate) fn count_step(&mut self, thread: u32) {
        if let Some(tracee) = self.threads.get_mut(&thread) {
            tracee.steps = tracee.steps.saturating_sub(1);
        }
    }

    /// Whether more stops at system calls are to be made.
    pub(crate) fn is_stepped(&self, thread: u32) -> bool {
        self.threads
            .get(&thread)
            .is_some_and(|tracee| tracee.steps > 0)
    }

    /// Whether new processes are stepped.
    pub(crate) fn steps_processes(&self) -> bool {
        self.steps_of_new_process > 0
    }

    /// Notes that a thread has passed its exit event.
    pub(crate) fn set_exiting(&mut self, thread: u32) {
        if let Some(tracee) = self.threads.get_mut(&thread) {
            tracee.exiting = true;
        }
    }

    /// Whether a thread has passed its exit event.
    pub(crate) fn is_exiting(&self, thread: u32) -> bool {
        self.threads
            .get(&thread)
            .is_some_and(|tracee| tracee.exiting)
    }

    /// Whether a thread stands in a reported stop.
    pub(crate) fn is_stopped(&self, thread: u32) -> bool {
        self.threads
            .get(&thread)
            .is_some_and(|tracee| tracee.stopped)
    }

    /// The known threads of a process.
    pub(crate) fn threads_of(&self, process: u32) -> Vec<u32> {
        let own = self
            .threads
            .iter()
            .filter(|(_, tracee)| tracee.process == process);
        own.map(|(thread, _)| *thread).collect()
    }

    /// How many threads have come or gone so far.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// All threads.
    pub(crate) fn all_threads(&self) -> Vec<u32> {
        self.threads.keys().copied().collect()
    }

    /// Forgets a thread; gives back its process when that is gone with it.
    pub(crate) fn remove(&mut self, thread: u32) -> Option<TracedProcess> {
        let process = self.threads.remove(&thread)?.process;
        self.changes = self.changes.wrapping_add(1);
        // The kernel reports the end of the first thread when no other is left.
        (process == thread)
            .then(|| self.processes.remove(&process))
            .flatten()
    }

    /// Forgets a process with all its threads.
    pub(crate) fn remove_process(&mut self, process: u32) {
        self.threads.retain(|_, tracee| tracee.process != process);
        self.processes.remove(&process);
    }

    /// The process became another program: its other threads are gone, and so is what was known of it. The
    /// thread that did it has the id of the first, which may have ended before.
    pub(crate) fn became_another_program(&mut self, process: u32) {
        self.threads.retain(|_, tracee| tracee.process != process);
        let before = self.processes.remove(&process).unwrap_or_default();
        self.add(process, process);
        self.set_birth(process, before.birth.after_exec());
        self.set_stopped(process, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_gone_with_its_first_thread() {
        let mut tree = Tree::default();
        tree.add(10, 10);
        tree.add(11, 10);
        assert!(tree.remove(11).is_none());
        assert!(tree.remove(10).is_some());
        assert!(tree.remove(10).is_none());
    }

    #[test]
    fn only_the_first_thread_survives_exec() {
        let mut tree = Tree::default();
        for (thread, process) in [(10, 10), (11, 10), (20, 20)] {
            tree.add(thread, process);
        }
        tree.set_exiting(10);
        tree.became_another_program(10);
        assert!(tree.is_stopped(10) && !tree.is_exiting(10));
        assert_eq!(tree.all_threads(), [10, 20]);
    }

    #[test]
    fn a_stop_is_noted_for_known_threads() {
        let mut tree = Tree::default();
        tree.add(10, 10);
        tree.set_stopped(10, true);
        tree.set_stopped(11, true);
        assert!(tree.is_stopped(10));
        assert!(!tree.is_stopped(11));
    }
}
