//! What was mapped earlier in a process: memory that is gone when a thread uses it.
//!
//! The address space is looked at now and then, so that what comes and goes between two looks is never known.
//! Looks are kept as the kernel's text: nobody reads them unless the process dies.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use crashlens_unwind::EarlierMapping;

use crate::procfs;
use crate::supervisor::Supervisor;

/// Until the first look. Programs that die sooner are not worth the cost to all others.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The pause after a look, as a multiple of what it took: looking stays below a thousandth of one processor.
/// With TensorFlow loaded the kernel takes 1.4 ms to list the mappings.
const RESTRAINT: u32 = 1000;
/// The list of TensorFlow's mappings has 130 KB.
const MAX_TEXT: u64 = 512 << 10;
const MAX_BYTES_OF_PROCESS: usize = 1 << 20;
const MAX_LOOKS: usize = 8;
/// Of a tree with more processes, only these are looked at.
const MAX_PROCESSES: usize = 16;

/// The address space of a process at one moment.
#[derive(Debug)]
struct Look {
    /// When it was last found like this.
    at: Instant,
    text: Vec<u8>,
}

/// The address space of a process at several moments, oldest first.
#[derive(Debug, Default)]
pub(crate) struct MapHistory(Vec<Look>);

impl MapHistory {
    /// Adds what is mapped now.
    fn add(&mut self, at: Instant, text: Vec<u8>) {
        match self.0.last_mut() {
            Some(last) if last.text == text => last.at = at,
            _ => self.0.push(Look { at, text }),
        }
        while self.0.len() > MAX_LOOKS || self.size() > MAX_BYTES_OF_PROCESS {
            let Some(redundant) = self.most_redundant(at) else {
                return;
            };
            self.0.remove(redundant);
        }
    }

    fn size(&self) -> usize {
        self.0.iter().map(|look| look.text.len()).sum()
    }

    /// The look whose neighbours are nearest to it, for how long ago it was: what is left gets sparser with age.
    fn most_redundant(&self, now: Instant) -> Option<usize> {
        let between = self.0.windows(3).enumerate();
        let crowded = between
            .min_by(|(_, one), (_, other)| crowding(one, now).total_cmp(&crowding(other, now)));
        // With two looks or one there is none between others: the oldest goes.
        crowded
            .map(|(index, _)| index + 1)
            .or((!self.0.is_empty()).then_some(0))
    }

    /// The mapping that held `address` when it was last seen.
    pub(crate) fn find(&self, address: u64, now: Instant) -> Option<EarlierMapping> {
        self.0.iter().rev().find_map(|look| {
            let (maps, _) = procfs::parse_maps(&look.text);
            let mapping = maps.into_iter().find(|map| map.contains(address))?;
            let age = now.saturating_duration_since(look.at);
            Some(EarlierMapping {
                mapping,
                last_seen_milliseconds: u64::try_from(age.as_millis()).unwrap_or(u64::MAX),
            })
        })
    }
}

/// How close together three looks are, relative to the age of the middle one.
fn crowding(looks: &[Look], now: Instant) -> f64 {
    let [before, middle, after] = looks else {
        return f64::INFINITY;
    };
    let span = after.at.saturating_duration_since(before.at).as_secs_f64();
    span / (now.saturating_duration_since(middle.at).as_secs_f64() + 1.0)
}

impl Supervisor<'_> {
    /// Looks at what is mapped in the processes, and says when to look again.
    pub(crate) fn remember_mappings(&mut self) -> Duration {
        let began = Instant::now();
        for (id, process) in self.tree.processes().take(MAX_PROCESSES) {
            if let Ok(text) = read(id) {
                process.mapped.add(began, text);
            }
        }
        let spent = began.elapsed();
        spent
            .saturating_mul(RESTRAINT)
            .clamp(FIRST_PAUSE, LONGEST_PAUSE)
    }
}

/// The kernel's list. A process that has more mappings than fit is known in part.
fn read(process: u32) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let file = std::fs::File::open(format!("/proc/{process}/maps"))?;
    file.take(MAX_TEXT).read_to_end(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH: &[u8] =
        b"1000-3000 rw-p 00000000 00:00 0 \n7000-8000 r--s 00000000 08:01 7 /data/x.npy\n";
    const WITHOUT: &[u8] = b"1000-3000 rw-p 00000000 00:00 0 \n";

    #[test]
    fn a_mapping_that_is_gone_is_found_as_it_was() {
        let start = Instant::now();
        let mut history = MapHistory::default();
        history.add(start, WITH.to_vec());
        history.add(start + Duration::from_secs(1), WITH.to_vec());
        history.add(start + Duration::from_secs(2), WITHOUT.to_vec());
        let found = history
            .find(0x7123, start + Duration::from_secs(3))
            .unwrap();
        assert_eq!(found.mapping.path.as_deref(), Some("/data/x.npy"));
        assert_eq!(found.last_seen_milliseconds, 2000);
        assert_eq!(history.find(0x5000, start + Duration::from_secs(3)), None);
    }

    #[test]
    fn long_runs_keep_few_looks_and_the_latest_of_them() {
        let start = Instant::now();
        let mut history = MapHistory::default();
        for second in 0..10_000_u64 {
            let text = format!("{second:x}000-{second:x}fff rw-p 00000000 00:00 0 \n");
            history.add(start + Duration::from_secs(second), text.into_bytes());
        }
        assert!(history.0.len() <= MAX_LOOKS);
        let ages: Vec<u64> = history
            .0
            .iter()
            .map(|look| 9_999 - look.at.duration_since(start).as_secs())
            .collect();
        assert_eq!(ages.last(), Some(&0));
        assert!(
            ages.iter().filter(|age| **age < 60).count() >= 3,
            "{ages:?}"
        );
        assert!(ages.iter().any(|age| *age > 1000), "{ages:?}");
    }

    #[test]
    fn large_address_spaces_are_kept_within_bounds() {
        let mut history = MapHistory::default();
        for byte in 0..20 {
            history.add(Instant::now(), vec![byte; MAX_TEXT as usize]);
        }
        assert!(history.size() <= MAX_BYTES_OF_PROCESS && !history.0.is_empty());
    }
}
