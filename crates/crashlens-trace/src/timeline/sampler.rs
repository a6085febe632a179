//! Takes the samples: a few small reads of `/proc`, which neither stop nor wake the program.
//!
//! What is measured is the resident memory that the kernel counts for each process (`/proc/PID/statm`), added
//! up. A page that two processes share, as after a fork, is counted in both. What a control group has in
//! use counts each page once, and the page cache too.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crashlens_core::{MemorySample, Timeline};
use nix::time::{ClockId, clock_gettime};

use super::on_top::Glances;
use super::{History, per_second};
use crate::ballast::Ballast;
use crate::host;
use crate::host::control_group::{self, Controller, Group};
use crate::host::memory_group;
use crashlens_inspect::bounded;

/// At most two samples a second.
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A sample is followed by a pause this many times as long as the CPU time it took. The time on the clock is not ours to
/// save: on a busy machine it would make the pauses longer than the last growth of a program.
const REST_FACTOR: u32 = 200;
/// Trees with more processes are not sampled: a part of them would tell a wrong number.
const MAX_PROCESSES: usize = 4096;
/// Growth goes on as between the last two samples for so many more: what is then reached is prepared for.
const SAMPLES_AHEAD: u64 = 3;
/// Samples after which the limit of the group is read again.
const LIMIT_LIFETIME: u32 = 20;

/// Keeps the timeline of a run.
pub(crate) struct MemoryWatch {
    root: PathBuf,
    began: Instant,
    page_size: u64,
    history: History,
    group: Option<WatchedGroup>,
    largest: u32,
    glances: Glances,
    ballast: Ballast,
    /// The limit that crashlens itself is under.
    own_limit: Option<u64>,
    machine_memory: Option<u64>,
}

/// The control group of the largest process.
struct WatchedGroup {
    process: u32,
    memberships: String,
    group: Group,
    usage: File,
    limit: Option<u64>,
    uses: u32,
}

impl MemoryWatch {
    pub(crate) fn start() -> Self {
        Self::below(PathBuf::from("/"))
    }

    /// For processes that will not be read when they are killed: nothing is held back for that.
    pub(crate) fn start_without_reserve() -> Self {
        Self {
            own_limit: None,
            ..Self::start()
        }
    }

    fn below(root: PathBuf) -> Self {
        Self {
            began: Instant::now(),
            page_size: page_size(),
            history: History::default(),
            group: None,
            largest: 0,
            glances: Glances::default(),
            ballast: Ballast::default(),
            own_limit: own_limit(&root),
            machine_memory: host::memory_total(&root),
            root,
        }
    }

    /// Takes a sample of these processes; says how long to wait before the next.
    pub(crate) fn tick(&mut self, processes: impl Iterator<Item = u32>) -> Duration {
        let before = own_cpu_time();
        let sample = self.sample(processes);
        let cost = own_cpu_time().saturating_sub(before);
        let pause = (cost * REST_FACTOR).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        if let Some(sample) = sample {
            self.prepare(sample);
            self.history.push(sample);
        }
        pause
    }

    /// Prepares for a kill when memory comes near its limit.
    fn prepare(&mut self, sample: MemorySample) {
        let before = self.history.last().map_or(0, |last| last.resident);
        let growth = sample.resident.saturating_sub(before);
        // The page cache in a group's use is given up before anybody is killed; what is resident is not.
        let soon = sample
            .resident
            .saturating_add(growth.saturating_mul(SAMPLES_AHEAD));
        if let Some(limit) = self.own_limit.filter(|limit| soon >= limit / 2) {
            self.ballast.take(limit, sample.resident);
        }
        let group_limit = self.group.as_ref().and_then(|group| group.limit);
        let limit = group_limit.or(self.machine_memory);
        if limit.is_some_and(|limit| soon >= limit / 4 * 3) {
            self.glances.look(self.largest, sample.milliseconds);
        }
    }

    /// Gives back what was held back for reading a process that is killed.
    pub(crate) fn release_ballast(&mut self) {
        self.ballast.release();
    }

    /// The largest process and its group, as of the last sample.
    pub(crate) fn watched(&self) -> Option<(u32, &Group)> {
        let watched = self.group.as_ref()?;
        Some((watched.process, &watched.group))
    }

    /// The timeline up to now, with a last sample of these processes, for the death of `pid`.
    ///
    /// `reaped`: the kernel may have taken back memory already. A last sample that shows less than the one
    /// before is then left out.
    pub(crate) fn timeline(
        &mut self,
        processes: impl Iterator<Item = u32>,
        pid: u32,
        reaped: bool,
    ) -> Option<Timeline> {
        let mut samples = self.history.samples();
        let before = samples.last().map_or(0, |sample| sample.resident);
        let last = self.sample(processes);
        samples.extend(last.filter(|last| !reaped || last.resident >= before));
        let growth_per_second = per_second(&samples);
        let limit = self.group.as_ref().and_then(|group| group.limit);
        (!samples.is_empty()).then_some(Timeline {
            samples,
            growth_per_second,
            limit,
            on_top: self.glances.of(pid),
        })
    }

    /// Memory now; `None` when no process could be read or there are too many.
    fn sample(&mut self, processes: impl Iterator<Item = u32>) -> Option<MemorySample> {
        let mut resident = 0_u64;
        let mut count = 0;
        let mut largest = (0, 0);
        for process in processes {
            if count == MAX_PROCESSES {
                return None;
            }
            if let Some(bytes) = self.resident(process) {
                resident = resident.saturating_add(bytes);
                count += 1;
                largest = largest.max((bytes, process));
            }
        }
        if count == 0 {
            return None;
        }
        self.largest = largest.1;
        Some(MemorySample {
            milliseconds: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            resident,
            processes: u32::try_from(count).unwrap_or(u32::MAX),
            group: self.group_usage(largest.1),
        })
    }

    /// Resident bytes of a process: the second number of `statm`. One that has ended and is not yet reaped has
    /// none, and belongs to no group any more.
    fn resident(&self, process: u32) -> Option<u64> {
        let text =
            bounded::read_text(&self.root.join(format!("proc/{process}/statm")), 256).ok()?;
        let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
        pages.checked_mul(self.page_size).filter(|bytes| *bytes > 0)
    }

    fn group_usage(&mut self, process: u32) -> Option<u64> {
        let memberships = control_group::memberships(&self.root, process).ok()?;
        let known = self
            .group
            .take()
            .filter(|known| known.memberships == memberships);
        self.group = known.or_else(|| WatchedGroup::find(&self.root, process, memberships));
        let group = self.group.as_mut()?;
        group.process = process;
        group.usage()
    }
}

impl WatchedGroup {
    fn find(root: &Path, process: u32, memberships: String) -> Option<Self> {
        let group = control_group::find(root, process, Controller::Memory).ok()??;
        let usage = File::open(group.usage_file()).ok()?;
        Some(Self {
            process,
            memberships,
            group,
            usage,
            limit: None,
            uses: 0,
        })
    }

    fn usage(&mut self) -> Option<u64> {
        if self.uses.is_multiple_of(LIMIT_LIFETIME) {
            self.limit = memory_group::limit(&self.group);
        }
        self.uses = self.uses.wrapping_add(1);
        let mut buffer = [0; 32];
        let length = self.usage.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(buffer.get(..length)?).ok()?;
        text.trim().parse().ok()
    }
}

fn own_limit(root: &Path) -> Option<u64> {
    let group = control_group::find(root, std::process::id(), Controller::Memory);
    memory_group::limit(&group.ok()??)
}

/// Of this thread; zero where the kernel does not tell.
fn own_cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

fn page_size() -> u64 {
    let size = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE);
    size.ok()
        .flatten()
        .and_then(|size| u64::try_from(size).ok())
        .unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_that_had_to_wait_for_a_processor_is_followed_by_no_longer_pause() {
        let mut watch = MemoryWatch::start();
        let (_sender, nobody) = std::sync::mpsc::channel::<u32>();
        let slow = std::iter::once(std::process::id()).inspect(|_| {
            let waited = nobody.recv_timeout(Duration::from_millis(50));
            assert!(waited.is_err());
        });
        assert_eq!(watch.tick(slow), SHORTEST_PAUSE);
    }

    #[test]
    fn own_memory_is_seen_and_strangers_that_do_not_exist_are_not_counted() {
        let mut watch = MemoryWatch::start();
        let own = std::process::id();
        let pause = watch.tick([own, u32::MAX].into_iter());
        assert!(pause >= SHORTEST_PAUSE);
        let timeline = watch.timeline([own].into_iter(), own, false).unwrap();
        assert_eq!(timeline.samples.len(), 2);
        assert_eq!(timeline.growth_per_second, None);
        let sample = timeline.samples[0];
        assert!(
            sample.processes == 1 && sample.resident > 100_000,
            "{sample:?}"
        );
        assert!(watch.timeline(std::iter::empty(), own, false).is_some());
    }

    #[test]
    fn numbers_that_are_none_are_not_counted() {
        let root = tempfile::tempdir().unwrap();
        for (process, statm) in [
            (1, "x y z"),
            (2, "7"),
            (3, "1 18446744073709551615 2"),
            (4, "9 2 1 1 0 1 0"),
            (5, "0 0 0 0 0 0 0"),
        ] {
            let folder = root.path().join(format!("proc/{process}"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("statm"), statm).unwrap();
        }
        let mut watch = MemoryWatch::below(root.path().to_owned());
        assert!(watch.timeline([1, 2, 3, 5].into_iter(), 1, false).is_none());
        let timeline = watch.timeline(1..=5, 1, false).unwrap();
        assert_eq!(timeline.samples[0].resident, 2 * page_size());
        assert_eq!(timeline.samples[0].processes, 1);
        assert!(watch.timeline((0..100_000).map(|_| 4), 4, false).is_none());
    }
}
