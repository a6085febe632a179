//! The Python line on top of the largest process while memory runs out.
//!
//! A process that is killed for memory may have lost it before it can be read. So when it comes near its limit, its
//! stack is glanced at now and then, without stopping it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crashlens_core::TopLine;

use crate::parent;

/// How long a glance may take.
const LIMIT: Duration = Duration::from_millis(50);
/// Glances that are kept.
const KEPT: usize = 5;
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
/// The pause after a glance, as a multiple of what it took.
const REST_FACTOR: u32 = 250;

/// The last glances.
#[derive(Debug, Default)]
pub(crate) struct Glances {
    kept: VecDeque<TopLine>,
    not_before: Option<Instant>,
}

impl Glances {
    /// Looks at a process, unless it was done only just now.
    pub(crate) fn look(&mut self, pid: u32, milliseconds: u64) {
        let begin = Instant::now();
        if self.not_before.is_some_and(|moment| begin < moment) {
            return;
        }
        let frames = parent::python_stack(pid, LIMIT, false);
        let took = begin.elapsed();
        self.not_before = Some(begin + took + (took * REST_FACTOR).max(SHORTEST_PAUSE));
        if let Some(frames) = frames {
            if self.kept.len() >= KEPT {
                self.kept.pop_front();
            }
            self.kept.push_back(TopLine {
                milliseconds,
                pid,
                frames,
            });
        }
    }

    /// What was seen of a process, oldest first.
    pub(crate) fn of(&self, pid: u32) -> Vec<TopLine> {
        let own = self.kept.iter().filter(|line| line.pid == pid);
        own.cloned().collect()
    }
}
