//! Whether a tree of processes makes progress: what it has used and moved, and for how long that was nothing.
//!
//! Progress is processor time beyond a trifle, bytes read or written, and processes or threads that come or go. A
//! program that waits for a request, a lock that is never released or a dead worker makes none of these. What
//! goes through sockets by `recv` and `send` is not counted by the kernel and shows as processor time only.

use std::path::Path;
use std::time::{Duration, Instant};

use crashlens_inspect::bounded;

use crate::procfs;

/// Processor time that is no progress, as a part of the time that has passed: threads that look around now and then
/// (a pool's, a notebook's) use this much and do nothing.
const TRIFLE: f64 = 0.005;
/// The kernel counts in hundredths of a second, whatever its own clock.
const TICKS_PER_SECOND: f64 = 100.0;
const MAX_FILE: u64 = 4096;

/// How often is looked in the time after which a tree counts as hung.
const LOOKS: u32 = 8;
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// A look that comes later than this after its time means that we were stopped, or the machine was asleep.
const LATENESS: Duration = Duration::from_secs(2);
/// The pause after a look, as a multiple of what it took: a tree of thousands of processes is looked at less often.
const REST_FACTOR: u32 = 200;

/// What a tree has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Effort {
    /// Processor time of all processes, in hundredths of a second.
    pub(crate) ticks: u64,
    /// Bytes read and written.
    pub(crate) bytes: u64,
    /// Processes and threads that have come or gone.
    pub(crate) changes: u64,
}

impl Effort {
    /// Adds what one process has done. What cannot be read counts as nothing.
    pub(crate) fn add(&mut self, process: u32) {
        let file = |name: &str| {
            let path = format!("/proc/{process}/{name}");
            bounded::read_text(Path::new(&path), MAX_FILE).unwrap_or_default()
        };
        self.ticks = self.ticks.saturating_add(parse_ticks(&file("stat")));
        self.bytes = self.bytes.saturating_add(parse_bytes(&file("io")));
    }
}

/// User and system time from `/proc/PID/stat`.
fn parse_ticks(stat: &str) -> u64 {
    // The name of the program is in brackets and may hold any character.
    let Some((_, fields)) = stat.rsplit_once(')') else {
        return 0;
    };
    let times = fields.split_ascii_whitespace().skip(11).take(2);
    times
        .filter_map(|time| time.parse::<u64>().ok())
        .fold(0, u64::saturating_add)
}

/// Bytes that went through `read` and `write`, from `/proc/PID/io`.
fn parse_bytes(io: &str) -> u64 {
    let counted = |line: &str| {
        let (name, count) = line.split_once(':')?;
        matches!(name, "rchar" | "wchar").then(|| count.trim().parse().unwrap_or(0))
    };
    io.lines().filter_map(counted).fold(0, u64::saturating_add)
}

/// Whether a thread of the process is running, or would if there were a processor for it.
pub(crate) fn is_runnable(process: u32) -> bool {
    let threads = procfs::thread_ids(process).unwrap_or_default();
    threads.into_iter().any(|thread| {
        let path = format!("/proc/{process}/task/{thread}/stat");
        let stat = bounded::read_text(Path::new(&path), MAX_FILE).unwrap_or_default();
        stat.rsplit_once(')')
            .is_some_and(|(_, fields)| fields.trim_start().starts_with('R'))
    })
}

/// Measures how long a tree has made no progress.
#[derive(Debug)]
pub(crate) struct Idleness {
    limit: Duration,
    /// When and with what the present time without progress began.
    since: Instant,
    before: Effort,
    last_look: Instant,
    /// The look before the present time without progress.
    last_progress_after: Instant,
    /// How long at least until the next look, for what the last one took.
    rest: Duration,
    /// Whether the present hang has been reported.
    reported: bool,
}

impl Idleness {
    /// Begins to measure; a tree without progress for `limit` is hung.
    pub(crate) fn new(limit: Duration, now: Instant) -> Self {
        Self {
            limit,
            since: now,
            before: Effort::default(),
            last_look: now,
            last_progress_after: now,
            rest: Duration::ZERO,
            reported: false,
        }
    }

    /// How long until the next look.
    pub(crate) fn pause(&self) -> Duration {
        let pause = (self.limit / LOOKS).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        pause.max(self.rest)
    }

    /// The same after a look that took so long.
    pub(crate) fn rest_after(&mut self, took: Duration) -> Duration {
        self.rest = took.saturating_mul(REST_FACTOR);
        self.pause()
    }

    /// The last progress was made after this moment.
    pub(crate) fn last_progress_after(&self) -> Instant {
        self.last_progress_after
    }

    /// For how long the tree has been hung, when it is time to say so.
    pub(crate) fn look(&mut self, now: Instant, effort: Effort) -> Option<Duration> {
        let was_away = now.saturating_duration_since(self.last_look) > self.pause() + LATENESS;
        let trifle = self.limit.as_secs_f64() * TRIFLE * TICKS_PER_SECOND;
        let ticks = effort.ticks.abs_diff(self.before.ticks);
        let moved = effort.bytes != self.before.bytes || effort.changes != self.before.changes;
        if moved || ticks as f64 > trifle {
            self.reported = false;
            self.restart(now, effort);
            return None;
        }
        if was_away {
            self.restart(now, effort);
            return None;
        }
        self.last_look = now;
        let idle = now.saturating_duration_since(self.since);
        (idle >= self.limit && !self.reported).then_some(idle)
    }

    /// The hang has been reported: it is not again until there was progress.
    pub(crate) fn set_reported(&mut self) {
        self.reported = true;
    }

    /// Trifles do not add up to progress: after each full time they are forgotten.
    pub(crate) fn forget_trifles(&mut self, now: Instant, effort: Effort) {
        if self.reported && now.saturating_duration_since(self.since) >= self.limit {
            self.restart(now, effort);
        }
    }

    /// Begins to measure anew.
    pub(crate) fn restart(&mut self, now: Instant, effort: Effort) {
        self.last_progress_after = self.last_look;
        self.last_look = now;
        self.since = now;
        self.before = effort;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(100);

    fn effort(ticks: u64, bytes: u64, changes: u64) -> Effort {
        Effort {
            ticks,
            bytes,
            changes,
        }
    }

    /// Looks every ten seconds at what the tree has done by then; when a hang is due, it is reported.
    fn reports(efforts: &[Effort]) -> Vec<usize> {
        let start = Instant::now();
        let mut idleness = Idleness::new(LIMIT, start);
        let mut reports = Vec::new();
        for (index, effort) in efforts.iter().enumerate() {
            let now = start + Duration::from_secs(10) * index as u32;
            if idleness.look(now, *effort).is_some() {
                reports.push(index);
                idleness.set_reported();
            }
            idleness.forget_trifles(now, *effort);
        }
        reports
    }

    #[test]
    fn a_tree_without_progress_is_reported_once() {
        let efforts = vec![effort(500, 9000, 3); 40];
        assert_eq!(reports(&efforts), [10]);
    }

    #[test]
    fn any_sign_of_progress_begins_a_new_time() {
        for step in [effort(60, 0, 0), effort(0, 1, 0), effort(0, 0, 1)] {
            let slow: Vec<_> = (0..40)
                .map(|look| {
                    let steps = look / 5;
                    effort(steps * step.ticks, steps * step.bytes, steps * step.changes)
                })
                .collect();
            assert!(reports(&slow).is_empty(), "{step:?}");
        }
    }

    #[test]
    fn a_little_processor_time_is_no_progress() {
        // Four hundredths of a second in ten seconds.
        let polling: Vec<_> = (0..60).map(|look| effort(look * 4, 0, 0)).collect();
        assert_eq!(reports(&polling), [10]);
    }

    #[test]
    fn a_second_hang_after_progress_is_reported_too() {
        let mut efforts = vec![effort(500, 0, 0); 15];
        efforts.extend(vec![effort(500, 7, 0); 15]);
        assert_eq!(reports(&efforts), [10, 25]);
    }

    #[test]
    fn a_machine_that_slept_has_not_hung() {
        let start = Instant::now();
        let mut idleness = Idleness::new(LIMIT, start);
        idleness.look(start, effort(1, 1, 1));
        let woken = start + Duration::from_secs(10_000);
        assert_eq!(idleness.look(woken, effort(1, 1, 1)), None);
    }

    #[test]
    fn a_long_pause_after_a_costly_look_is_not_taken_for_sleep() {
        let start = Instant::now();
        let mut idleness = Idleness::new(LIMIT, start);
        idleness.look(start, effort(1, 1, 1));
        let pause = idleness.rest_after(Duration::from_secs(1));
        assert_eq!(pause, Duration::from_secs(200));
        let idle = idleness.look(start + pause, effort(1, 1, 1));
        assert_eq!(idle, Some(pause));
    }

    #[test]
    fn the_last_progress_lies_between_two_looks() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut idleness = Idleness::new(LIMIT, start);
        for (seconds, bytes) in [(0, 1), (10, 1), (20, 2), (30, 2)] {
            idleness.look(at(seconds), effort(0, bytes, 0));
        }
        assert_eq!(idleness.last_progress_after(), at(10));
    }

    #[test]
    fn counters_are_found_in_the_kernels_lines() {
        let stat = "7 (a) b) S 1 7 7 0 -1 0 1 2 3 4 250 50 9 9 20 0 1";
        assert_eq!(parse_ticks(stat), 300);
        assert_eq!(parse_bytes("rchar: 10\nwchar: 5\nsyscr: 99\n"), 15);
        assert_eq!((parse_ticks("?"), parse_bytes("x")), (0, 0));
    }

    #[test]
    fn the_own_process_has_done_something() {
        let mut own = Effort::default();
        own.add(std::process::id());
        assert!(own.bytes > 0 && is_runnable(std::process::id()));
    }
}
