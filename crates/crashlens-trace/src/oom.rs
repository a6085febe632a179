//! Kills for lack of memory: whether the kernel made them, told by its own counters.
//!
//! The counters say how many processes were killed and not which. So a kill is taken for the reason of a death
//! only when it was counted shortly before, in the group of the process, and no other death has been
//! explained by it; and where the kernel's log has all kills, only when it names the process.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crashlens_core::{OomEvidence, Resource};

use crate::host::control_group::{self, Controller, Group};
use crate::host::memory_group;
use crate::kernel_log::KernelLog;
use crate::resources::{self, Baseline};
use crashlens_inspect::bounded;

/// A kill that was counted longer ago was that of another process: those that are killed stop at once.
const WINDOW: Duration = Duration::from_secs(5);
/// Samples between looks at the counter of the whole machine, which is a long file.
const MACHINE_INTERVAL: u32 = 10;
const MAX_VMSTAT_BYTES: u64 = 256 << 10;
/// Groups that are followed.
const MAX_GROUPS: usize = 1024;

/// Counts kills from the start of a run.
pub(crate) struct OomLedger {
    root: PathBuf,
    groups: BTreeMap<String, Count>,
    machine: Option<Count>,
    machine_before: Option<u64>,
    baseline: Baseline,
    log: KernelLog,
    ticks: u32,
}

impl OomLedger {
    /// Begins with the counters around the process `main`.
    pub(crate) fn start(main: u32) -> Self {
        Self::below(PathBuf::from("/"), main)
    }

    fn below(root: PathBuf, main: u32) -> Self {
        let machine_before = kills_on_machine(&root);
        let now = Instant::now();
        let mut ledger = Self {
            machine: machine_before.map(|kills| Count::from(now, kills)),
            machine_before,
            groups: BTreeMap::new(),
            baseline: Baseline::default(),
            log: KernelLog::start(),
            ticks: 0,
            root,
        };
        if let Some(group) = ledger.group_of(main) {
            ledger.follow(main, &group, now);
        }
        ledger
    }

    fn group_of(&self, pid: u32) -> Option<Group> {
        control_group::find(&self.root, pid, Controller::Memory)
            .ok()
            .flatten()
    }

    /// The counters of every level when a group was first seen.
    pub(crate) fn baseline(&self) -> &Baseline {
        &self.baseline
    }

    /// Looks at the counters; `pid` is a process of `group`.
    pub(crate) fn tick(&mut self, pid: u32, group: &Group) {
        let now = Instant::now();
        self.follow(pid, group, now);
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(MACHINE_INTERVAL)
            && let Some(kills) = kills_on_machine(&self.root)
            && let Some(machine) = &mut self.machine
        {
            machine.note(now, kills);
        }
    }

    fn follow(&mut self, pid: u32, group: &Group, now: Instant) {
        let Some(kills) = memory_group::oom_kills(group) else {
            return;
        };
        if let Some(count) = self.groups.get_mut(&group.path) {
            count.note(now, kills);
        } else {
            self.count_from(pid, group.path.clone(), now, kills);
        }
    }

    fn count_from(&mut self, pid: u32, path: String, now: Instant, kills: u64) {
        if self.groups.len() < MAX_GROUPS {
            self.groups.insert(path, Count::from(now, kills));
            self.baseline.note(&self.root, pid);
        }
    }

    /// Whether the kernel killed the process `pid` for memory; `None` when that cannot be told.
    pub(crate) fn judge(&mut self, pid: u32) -> (Option<bool>, OomEvidence) {
        let group = self.group_of(pid);
        self.judge_member(pid, group.as_ref())
    }

    /// The same for a process that is gone, whose group was `group`.
    pub(crate) fn judge_member(
        &mut self,
        pid: u32,
        group: Option<&Group>,
    ) -> (Option<bool>, OomEvidence) {
        let now = Instant::now();
        let kills_now = group.and_then(memory_group::oom_kills);
        let path = group.map(|group| group.path.as_str()).unwrap_or_default();
        let count = self.groups.get(path);
        let in_group = kills_now
            .zip(count)
            .map(|(kills, count)| count.lately(now, kills));
        let machine_now = kills_on_machine(&self.root);
        let on_machine = machine_now
            .zip(self.machine.as_ref())
            .map(|(kills, count)| count.lately(now, kills));
        let in_run = machine_now
            .zip(self.machine_before)
            .map(|(kills, before)| kills.saturating_sub(before));
        let named = self.log.names_kill_of(pid, in_run);
        let killed = verdict(in_group, kills_now, on_machine, named);
        if killed == Some(true) {
            if let (Some(count), Some(kills)) = (self.groups.get_mut(path), kills_now) {
                count.attribute(kills);
            }
            if let (Some(machine), Some(kills)) = (&mut self.machine, machine_now) {
                machine.attribute(kills);
            }
        }
        // A group that a process entered since the last tick: decided once, what is counted up to now is explained.
        if let (Some(_), Some(kills), None) = (killed, kills_now, self.groups.get(path)) {
            self.count_from(pid, path.to_owned(), now, kills);
        }
        let evidence = OomEvidence {
            group_kills: in_group,
            machine_kills: in_run,
            named_in_log: named,
            limited_by: None,
            whole_group: group.and_then(|group| Some(group.own().number("memory.oom.group")? == 1)),
            score_adjustment: None,
        };
        (killed, evidence)
    }

    /// Adds to the evidence what takes a longer look, for an end that is to be explained.
    pub(crate) fn complete(&mut self, pid: u32, evidence: &mut OomEvidence) {
        evidence.limited_by = self.limited_by(pid);
        evidence.score_adjustment = self.score_adjustment(pid);
    }

    /// The level whose limit was met: as the log says, or the lowest one that refused memory in this run and was
    /// full.
    fn limited_by(&mut self, pid: u32) -> Option<String> {
        if let Some(group) = self.log.limited_by(pid) {
            return (!group.is_empty()).then_some(group);
        }
        let uses = resources::group_uses(&self.root, pid, &self.baseline);
        let is_full = |used: &crashlens_core::ResourceUse| {
            used.resource == Resource::Memory
                && used.met > Some(0)
                && used.peak.max(used.used) >= used.limit.map(|limit| limit - limit / 50)
        };
        uses.into_iter()
            .find(is_full)
            .map(|used| used.set_by.into())
    }

    fn score_adjustment(&self, pid: u32) -> Option<i32> {
        let path = self.root.join(format!("proc/{pid}/oom_score_adj"));
        bounded::read_text(&path, 32).ok()?.trim().parse().ok()
    }

    /// Lines of the kernel's log about a process.
    pub(crate) fn log_about(&mut self, pid: u32) -> Result<Vec<String>, String> {
        self.log.about(pid)
    }
}

fn kills_on_machine(root: &Path) -> Option<u64> {
    let text = bounded::read_text(&root.join("proc/vmstat"), MAX_VMSTAT_BYTES).ok()?;
    control_group::counter(&text, "oom_kill")
}

/// The log decides where it is complete or names the process. Else: every kill is counted in the victim's own
/// group, whoever's limit it was for, so the group decides where its count is known, and a group that never had a
/// kill had none now. The whole machine's count can only tell that there was none.
fn verdict(
    in_group: Option<u64>,
    ever_in_group: Option<u64>,
    on_machine: Option<u64>,
    named_in_log: Option<bool>,
) -> Option<bool> {
    let counted = match (in_group, ever_in_group) {
        (Some(kills), _) => Some(kills > 0),
        (None, Some(0)) => Some(false),
        // Somebody on the machine was killed: that may have been anybody.
        (None, _) => on_machine.and_then(|kills| (kills == 0).then_some(false)),
    };
    named_in_log.or(counted)
}

/// A counter that only rises, over the last seconds.
#[derive(Debug)]
struct Count {
    /// When which value was first seen; the first of them is at least as old as the window, or the beginning.
    seen: VecDeque<(Instant, u64)>,
}

impl Count {
    fn from(now: Instant, value: u64) -> Self {
        Self {
            seen: VecDeque::from([(now, value)]),
        }
    }

    fn note(&mut self, now: Instant, value: u64) {
        if self.seen.back().is_none_or(|(_, last)| *last != value) {
            self.seen.push_back((now, value));
        }
        while self.seen.get(1).is_some_and(|(at, _)| is_old(*at, now)) {
            self.seen.pop_front();
        }
    }

    /// Takes one of the kills up to `value` for the reason of a death: it explains no other.
    fn attribute(&mut self, value: u64) {
        for (_, seen) in &mut self.seen {
            *seen = (*seen + 1).min(value);
        }
    }

    /// Kills within the window that have not explained a death yet.
    fn lately(&self, now: Instant, value: u64) -> u64 {
        let before = self.seen.iter().rev().find(|(at, _)| is_old(*at, now));
        let before = before
            .or(self.seen.front())
            .map_or(value, |(_, value)| *value);
        value.saturating_sub(before)
    }
}

fn is_old(at: Instant, now: Instant) -> bool {
    now.saturating_duration_since(at) >= WINDOW
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    #[test]
    fn a_kill_explains_one_death() {
        let start = Instant::now();
        let mut count = Count::from(start, 3);
        assert_eq!(count.lately(start, 3), 0);
        assert_eq!(count.lately(start + seconds(1), 4), 1);
        count.attribute(4);
        assert_eq!(count.lately(start + seconds(2), 4), 0);
        count.note(start + seconds(2), 4);
        assert_eq!(count.lately(start + seconds(6), 4), 0, "nor later");
        assert_eq!(count.lately(start + seconds(2), 5), 1);
    }

    #[test]
    fn a_kill_of_a_stranger_is_soon_forgotten() {
        let start = Instant::now();
        let mut count = Count::from(start, 0);
        count.note(start + seconds(60), 1);
        assert_eq!(count.lately(start + seconds(61), 1), 1);
        count.note(start + seconds(66), 1);
        assert_eq!(count.lately(start + seconds(66), 1), 0);
        assert_eq!(count.lately(start + seconds(67), 2), 1);
    }

    #[test]
    fn a_run_shorter_than_the_window_counts_from_its_start() {
        let start = Instant::now();
        let count = Count::from(start, 7);
        assert_eq!(count.lately(start + Duration::from_millis(3), 8), 1);
    }

    fn write(root: &tempfile::TempDir, path: &str, text: &str) {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn counters_of_the_own_group_prove_a_kill_and_those_of_the_machine_none() {
        let root = tempfile::tempdir().unwrap();
        write(&root, "proc/7/cgroup", "0::/job\n");
        let mounts = "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        write(&root, "proc/self/mountinfo", mounts);
        write(&root, "proc/vmstat", "nr_free_pages 5\noom_kill 10\n");
        write(&root, "sys/fs/cgroup/job/memory.current", "990\n");
        write(&root, "sys/fs/cgroup/job/memory.max", "1000\n");
        write(&root, "sys/fs/cgroup/job/memory.events", "oom_kill 1\n");
        write(&root, "sys/fs/cgroup/job/memory.events.local", "max 5\n");
        write(&root, "sys/fs/cgroup/job/memory.oom.group", "1\n");
        let mut ledger = OomLedger::below(root.path().to_owned(), 7);
        assert_eq!(ledger.judge(7).0, Some(false));

        write(&root, "proc/vmstat", "oom_kill 11\n");
        assert_eq!(
            ledger.judge(7).0,
            Some(false),
            "a stranger's death does not count"
        );

        write(&root, "sys/fs/cgroup/job/memory.events", "oom_kill 2\n");
        write(&root, "sys/fs/cgroup/job/memory.events.local", "max 9\n");
        let (killed, mut evidence) = ledger.judge(7);
        ledger.complete(7, &mut evidence);
        assert_eq!(killed, Some(true));
        let expected = OomEvidence {
            group_kills: Some(1),
            machine_kills: Some(1),
            named_in_log: None,
            limited_by: Some("/job".to_owned()),
            whole_group: Some(true),
            score_adjustment: None,
        };
        assert_eq!(evidence, expected);
        assert_eq!(
            ledger.judge(7).0,
            Some(false),
            "one kill explains one death"
        );

        std::fs::remove_file(root.path().join("sys/fs/cgroup/job/memory.events")).unwrap();
        write(&root, "proc/vmstat", "oom_kill 13\n");
        assert_eq!(
            ledger.judge(7).0,
            None,
            "a count of the whole machine proves nothing"
        );

        std::fs::remove_file(root.path().join("proc/vmstat")).unwrap();
        assert_eq!(ledger.judge(7).0, None);
    }

    #[test]
    fn the_log_decides_and_then_the_group() {
        assert_eq!(verdict(Some(1), Some(1), Some(0), None), Some(true));
        assert_eq!(verdict(Some(1), Some(1), Some(1), Some(false)), Some(false));
        assert_eq!(verdict(Some(0), Some(9), Some(3), None), Some(false));
        assert_eq!(verdict(None, Some(0), Some(3), None), Some(false));
        assert_eq!(verdict(None, Some(2), Some(1), None), None);
        assert_eq!(verdict(None, Some(2), Some(0), None), Some(false));
        assert_eq!(verdict(None, None, Some(1), None), None);
        assert_eq!(verdict(None, None, None, Some(true)), Some(true));
        assert_eq!(verdict(Some(0), Some(9), Some(0), Some(true)), Some(true));
    }
}
