//! Memory of the supervised processes over time, in a bounded number of samples however long the run.
//!
//! The end of a run explains a kill, so it is kept densely; what is older is thinned out by doubling the
//! distance between samples. Reading the numbers is [`sampler`]'s part, and what is done when they come near the limit.

mod growth;
mod on_top;
mod sampler;

use std::collections::VecDeque;

use crashlens_core::MemorySample;

pub(crate) use growth::per_second;
pub(crate) use sampler::MemoryWatch;

/// Samples of the end: a minute at two a second.
const RECENT: usize = 120;
/// Samples before the end.
const OLDER: usize = 240;
/// First distance between older samples.
const FIRST_DISTANCE_MILLISECONDS: u64 = 1000;

/// The samples that are kept.
#[derive(Debug)]
pub(crate) struct History {
    older: Vec<MemorySample>,
    recent: VecDeque<MemorySample>,
    distance: u64,
}

impl Default for History {
    fn default() -> Self {
        Self {
            older: Vec::new(),
            recent: VecDeque::new(),
            distance: FIRST_DISTANCE_MILLISECONDS,
        }
    }
}

impl History {
    /// Adds a sample that is younger than all others.
    pub(crate) fn push(&mut self, sample: MemorySample) {
        if self.recent.len() >= RECENT
            && let Some(leaving) = self.recent.pop_front()
        {
            self.keep_old(leaving);
        }
        self.recent.push_back(sample);
    }

    fn keep_old(&mut self, sample: MemorySample) {
        let apart = self.older.last().map_or(u64::MAX, |last| {
            sample.milliseconds.saturating_sub(last.milliseconds)
        });
        if apart < self.distance {
            return;
        }
        self.older.push(sample);
        if self.older.len() > OLDER {
            let mut index = 0;
            self.older.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.distance = self.distance.saturating_mul(2);
        }
    }

    /// The youngest sample.
    pub(crate) fn last(&self) -> Option<MemorySample> {
        self.recent.back().copied()
    }

    /// All samples, oldest first.
    pub(crate) fn samples(&self) -> Vec<MemorySample> {
        self.older.iter().chain(&self.recent).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> MemorySample {
        MemorySample {
            milliseconds,
            resident: milliseconds,
            processes: 1,
            group: None,
        }
    }

    #[test]
    fn ten_days_are_kept_in_a_few_hundred_samples_dense_at_the_end() {
        let mut history = History::default();
        let total = 10 * 24 * 3600 * 2_u64;
        for tick in 0..total {
            history.push(at(tick * 500));
        }
        let samples = history.samples();
        assert!(
            samples.len() <= RECENT + OLDER && samples.len() > RECENT + OLDER / 3,
            "{}",
            samples.len()
        );
        assert_eq!(samples.first(), Some(&at(0)));
        assert_eq!(samples.last(), Some(&at((total - 1) * 500)));
        let distances: Vec<u64> = samples
            .windows(2)
            .map(|pair| pair[1].milliseconds - pair[0].milliseconds)
            .collect();
        assert!(
            distances[distances.len() - 100..]
                .iter()
                .all(|gap| *gap == 500)
        );
        let longest = distances.iter().max().unwrap();
        assert!(*longest <= total * 500 / 60, "{longest}");
    }

    #[test]
    fn a_short_run_keeps_every_sample() {
        let mut history = History::default();
        (0..30).for_each(|tick| history.push(at(tick * 500)));
        assert_eq!(history.samples().len(), 30);
    }
}
