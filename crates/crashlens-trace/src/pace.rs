//! How the tracer waits while changes come in quick succession.
//!
//! A program that receives a hundred thousand signals stops a hundred thousand times, and each time it waits until the
//! tracer has been woken and has answered. To wake a process on another processor takes many times as long as the
//! answer. In such a burst the tracer therefore moves to the processor of its tracee, and yields it instead of
//! sleeping. That lasts as long as changes come quickly; at the first pause it sleeps again, where it likes.

use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use crate::procfs;

/// A change is part of a burst if it follows the one before within this time: about what it takes to be woken.
const QUICK: Duration = Duration::from_micros(100);
/// How many quick changes make a burst.
const FIRST_PATIENCE: u32 = 16;
/// The most that are asked for after bursts that were not worth the move.
const LAST_PATIENCE: u32 = 2048;
/// A burst was worth the move if it had this many times the changes that were waited for.
const WORTH: u32 = 4;
/// How often signals are looked for in a burst, in changes.
const SIGNALS_EVERY: u32 = 32;

/// This thread.
const OWN: Pid = Pid::from_raw(0);

/// The pace of changes, and what follows from it.
#[derive(Debug)]
pub(crate) struct Pace {
    last: Instant,
    /// Quick changes in a row.
    quick: u32,
    /// Quick changes in a row that make the next burst.
    patience: u32,
    /// Where this thread may run, while it is kept to the processor of a tracee.
    home: Option<CpuSet>,
}

impl Pace {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            last: now,
            quick: 0,
            patience: FIRST_PATIENCE,
            home: None,
        }
    }

    /// A thread of the program has changed.
    pub(crate) fn changed(&mut self, thread: u32, now: Instant) {
        if self.is_over(now) {
            self.rest();
        }
        self.last = now;
        self.quick = self.quick.wrapping_add(1);
        if self.quick == self.patience && self.home.is_none() {
            self.home = move_to_processor_of(thread);
        }
    }

    /// Whether the next change is waited for awake.
    pub(crate) fn is_burst(&mut self, now: Instant) -> bool {
        if self.home.is_some() && self.is_over(now) {
            self.rest();
        }
        self.home.is_some()
    }

    /// Whether it is time to look for signals, which a burst without an end would keep waiting.
    pub(crate) fn owes_signals(&self) -> bool {
        self.home.is_some() && self.quick.is_multiple_of(SIGNALS_EVERY)
    }

    /// Ends the burst: what follows takes time, or is done with the help of other threads.
    pub(crate) fn rest(&mut self) {
        if let Some(home) = self.home.take() {
            let _ = sched_setaffinity(OWN, &home);
            let was_worth_it = self.quick / WORTH >= self.patience;
            self.patience = if was_worth_it {
                FIRST_PATIENCE
            } else {
                LAST_PATIENCE.min(self.patience * 2)
            };
        }
        self.quick = 0;
    }

    fn is_over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.last) >= QUICK
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        self.rest();
    }
}

/// Keeps this thread to the processor on which `thread` ran last, and gives where it could run before; `None` if
/// that cannot be done.
fn move_to_processor_of(thread: u32) -> Option<CpuSet> {
    let home = sched_getaffinity(OWN).ok()?;
    let mut only = CpuSet::new();
    only.set(processor_of(thread)?).ok()?;
    sched_setaffinity(OWN, &only).ok()?;
    Some(home)
}

fn processor_of(thread: u32) -> Option<usize> {
    processor_in(&procfs::stat(thread).ok()?)
}

/// The 39th field of `/proc/ID/stat`. The second, the name, may have blanks and parentheses.
fn processor_in(stat: &str) -> Option<usize> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(36)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = QUICK;

    fn own_thread() -> u32 {
        nix::unistd::gettid().as_raw() as u32
    }

    fn allowed() -> CpuSet {
        sched_getaffinity(OWN).unwrap()
    }

    /// Quick changes of this thread, ending at the time that is given back.
    fn burst(pace: &mut Pace, mut now: Instant, changes: u32) -> Instant {
        for _ in 0..changes {
            now += Duration::from_micros(1);
            pace.changed(own_thread(), now);
        }
        now
    }

    #[test]
    fn quick_changes_are_awaited_on_one_processor_until_a_pause() {
        let before = allowed();
        let mut now = Instant::now();
        let mut pace = Pace::new(now);
        now = burst(&mut pace, now, FIRST_PATIENCE - 1);
        assert!(!pace.is_burst(now));
        now = burst(&mut pace, now, 1);
        assert!(pace.is_burst(now));
        let processors = (0..CpuSet::count()).filter(|cpu| allowed().is_set(*cpu).unwrap());
        assert_eq!(processors.count(), 1);
        assert!(!pace.is_burst(now + PAUSE));
        assert_eq!(allowed(), before);
    }

    #[test]
    fn single_changes_are_no_burst() {
        let mut now = Instant::now();
        let mut pace = Pace::new(now);
        for _ in 0..10 * FIRST_PATIENCE {
            now += PAUSE;
            pace.changed(own_thread(), now);
            assert!(!pace.is_burst(now));
        }
    }

    #[test]
    fn short_bursts_are_waited_for_longer_and_long_ones_are_not() {
        let mut now = Instant::now();
        let mut pace = Pace::new(now);
        now = burst(&mut pace, now, FIRST_PATIENCE);
        assert!(!pace.is_burst(now + PAUSE), "it was not worth the move");
        now = burst(&mut pace, now + PAUSE, FIRST_PATIENCE);
        assert!(!pace.is_burst(now));
        now = burst(&mut pace, now, WORTH * 2 * FIRST_PATIENCE);
        assert!(!pace.is_burst(now + PAUSE), "it was");
        now = burst(&mut pace, now + PAUSE, FIRST_PATIENCE);
        assert!(pace.is_burst(now));
    }

    #[test]
    fn a_dropped_pace_leaves_nothing_behind() {
        let before = allowed();
        let now = Instant::now();
        let mut pace = Pace::new(now);
        burst(&mut pace, now, FIRST_PATIENCE);
        drop(pace);
        assert_eq!(allowed(), before);
    }

    #[test]
    fn the_processor_is_found_after_any_name() {
        let rest = (4..=38)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(" ");
        let stat = format!("7 (a) b (c) R {rest} 5 0 0");
        assert_eq!(processor_in(&stat), Some(5));
        assert_eq!(processor_in("7 (a"), None);
        assert_eq!(processor_in("7 (a) R 1"), None);
        assert!(processor_of(own_thread()).is_some());
    }
}
