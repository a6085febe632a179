//! Named steps, how each ended, and the last lines that sum them up.

use std::fmt::Display;
use std::time::Instant;

use anyhow::{Result, ensure};

/// How a step ended, when it did not fail.
pub enum Step {
    Passed,
    Skipped(String),
}

/// All steps so far.
#[derive(Default)]
pub struct Tally {
    passed: u32,
    failed: Vec<&'static str>,
    skipped: Vec<(&'static str, String)>,
}

impl Tally {
    pub fn step(&mut self, name: &'static str, run: impl FnOnce() -> Result<Step>) {
        println!("\n== {name}");
        let start = Instant::now();
        let took =
            |word: &dyn Display| println!("-- {name}: {word} ({} s)", start.elapsed().as_secs());
        match run() {
            Ok(Step::Passed) => {
                self.passed += 1;
                took(&"passed");
            }
            Ok(Step::Skipped(reason)) => {
                took(&format!("skipped, {reason}"));
                self.skipped.push((name, reason));
            }
            Err(error) => {
                self.failed.push(name);
                took(&format!("FAILED, {error:#}"));
            }
        }
    }

    /// Prints what was skipped and the sum. A skipped step is a failure where it must not happen.
    pub fn finish(self, may_skip: bool) -> Result<()> {
        println!("\n{}", self.last_lines());
        ensure!(self.failed.is_empty(), "failed: {}", self.failed.join(", "));
        let skipped: Vec<_> = self.skipped.iter().map(|(name, _)| *name).collect();
        ensure!(
            may_skip || skipped.is_empty(),
            "skipped, which is a failure where CI is set: {}",
            skipped.join(", ")
        );
        Ok(())
    }

    fn last_lines(&self) -> String {
        let mut lines: Vec<_> = self
            .skipped
            .iter()
            .map(|(name, reason)| format!("skipped: {name}: {reason}"))
            .collect();
        let (passed, failed) = (self.passed, self.failed.len());
        lines.push(match self.skipped.len() {
            0 => format!("{passed} passed, {failed} failed"),
            skipped => format!("{passed} passed, {failed} failed, {skipped} skipped"),
        });
        lines.join("\n")
    }
}

/// Whether this runs as continuous integration.
pub fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    fn tally(skips: bool, fails: bool) -> Tally {
        let mut tally = Tally::default();
        tally.step("first", || Ok(Step::Passed));
        if skips {
            tally.step("second", || Ok(Step::Skipped("no network".to_owned())));
        }
        if fails {
            tally.step("third", || bail!("broken"));
        }
        tally
    }

    #[test]
    fn the_last_line_is_the_sum_alone() {
        assert_eq!(tally(false, false).last_lines(), "1 passed, 0 failed");
    }

    #[test]
    fn a_skipped_step_is_listed_with_its_reason_before_the_sum() {
        assert_eq!(
            tally(true, true).last_lines(),
            "skipped: second: no network\n1 passed, 1 failed, 1 skipped"
        );
    }

    #[test]
    fn a_skipped_step_fails_where_nothing_may_be_skipped() {
        assert!(tally(true, false).finish(true).is_ok());
        assert!(tally(true, false).finish(false).is_err());
        assert!(tally(false, false).finish(false).is_ok());
        assert!(tally(false, true).finish(true).is_err());
    }
}
