//! How fast memory grew at the end.

use crashlens_core::MemorySample;

/// The end that is looked at.
const WINDOW_MILLISECONDS: u64 = 5000;
/// Where samples are taken rarely, so many are looked at, whatever their age.
const FEWEST: usize = 6;
/// Fewer samples, or a shorter time, tell nothing.
const ENOUGH: usize = 4;
const ENOUGH_MILLISECONDS: u64 = 1400;

/// Bytes by which resident memory grew each second at the end; `None` where too few samples tell.
///
/// The median of the slopes between all pairs of samples: one sample that is off, as when a worker ended
/// just then, does not move it.
pub(crate) fn per_second(samples: &[MemorySample]) -> Option<i64> {
    let last = samples.last()?.milliseconds;
    let in_window = samples
        .iter()
        .rev()
        .take_while(|sample| last.saturating_sub(sample.milliseconds) <= WINDOW_MILLISECONDS)
        .count();
    let start = samples.len().saturating_sub(in_window.max(FEWEST));
    let end = samples.get(start..)?;
    let span = last.saturating_sub(end.first()?.milliseconds);
    if end.len() < ENOUGH || span < ENOUGH_MILLISECONDS {
        return None;
    }
    let mut slopes = Vec::new();
    for (index, later) in end.iter().enumerate() {
        for earlier in end.iter().take(index) {
            let milliseconds = later.milliseconds.saturating_sub(earlier.milliseconds);
            if milliseconds > 0 {
                let bytes = i128::from(later.resident) - i128::from(earlier.resident);
                slopes.push(bytes * 1000 / i128::from(milliseconds));
            }
        }
    }
    slopes.sort_unstable();
    i64::try_from(*slopes.get(slopes.len() / 2)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(resident: &[u64]) -> Vec<MemorySample> {
        (0..)
            .zip(resident)
            .map(|(tick, resident)| MemorySample {
                milliseconds: tick * 500,
                resident: *resident,
                processes: 1,
                group: None,
            })
            .collect()
    }

    #[test]
    fn steady_growth_is_told_per_second() {
        let steady: Vec<u64> = (0..20).map(|tick| tick * 50_000_000).collect();
        assert_eq!(per_second(&samples(&steady)), Some(100_000_000));
    }

    #[test]
    fn only_the_end_counts() {
        let mut resident = vec![1_000; 100];
        resident.extend((0..12).map(|tick| 1_000 + tick * 500));
        assert_eq!(per_second(&samples(&resident)), Some(1000));
    }

    #[test]
    fn one_sample_that_is_off_changes_nothing() {
        let mut resident: Vec<u64> = (0..11).map(|tick| 1_000_000 + tick * 500).collect();
        resident[9] = 0;
        assert_eq!(per_second(&samples(&resident)), Some(1000));
    }

    #[test]
    fn too_little_tells_nothing() {
        assert_eq!(per_second(&[]), None);
        assert_eq!(per_second(&samples(&[1, 2, 3])), None);
        let at_once = MemorySample {
            milliseconds: 7,
            resident: u64::MAX,
            processes: 1,
            group: None,
        };
        assert_eq!(per_second(&[at_once; 9]), None);
    }
}
