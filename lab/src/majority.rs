//! A live run that varies by nature never decides alone: a program that differs is run again, and the majority counts.

use anyhow::Result;

/// Runs of one program at most.
const MOST_RUNS: usize = 5;

/// What one run means beside what is committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Same,
    /// Another outcome that the program is known to have as well.
    Varies(String),
    /// Another outcome; equal texts are the same outcome.
    Differs(String),
    /// An outcome that no other run can make good.
    Fails(String),
}

impl Standing {
    /// The outcome as it is counted: what is known to vary counts as the same.
    fn outcome(&self) -> Option<&str> {
        match self {
            Self::Same | Self::Varies(_) => None,
            Self::Differs(text) | Self::Fails(text) => Some(text),
        }
    }

    pub fn is_same(&self) -> bool {
        self.outcome().is_none()
    }
}

/// All runs of one program.
pub struct Runs<T> {
    pub all: Vec<(T, Standing)>,
    /// Index of the run that counts.
    taken: usize,
}

impl<T> Runs<T> {
    /// The run that counts.
    pub fn taken(&self) -> &(T, Standing) {
        &self.all[self.taken]
    }

    pub fn into_taken(mut self) -> (T, Standing) {
        self.all.swap_remove(self.taken)
    }

    /// Whether what counts is what is committed.
    pub fn is_same(&self) -> bool {
        self.taken().1.is_same()
    }

    /// A line for each run that is not as committed, and one for what counts where there were several.
    pub fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, (_, standing)) in self.all.iter().enumerate() {
            let (word, text) = match standing {
                Standing::Same => continue,
                Standing::Varies(text) => ("varies as the case says", text),
                Standing::Differs(text) => ("differs", text),
                Standing::Fails(text) => ("fails", text),
            };
            lines.push(format!("run {}: {word}: {}", index + 1, text.trim_end()));
        }
        if self.all.len() > 1 {
            let outcome = self.taken().1.outcome();
            let alike = self.all.iter().filter(|run| run.1.outcome() == outcome);
            lines.push(format!(
                "{} of {} runs {}",
                alike.count(),
                self.all.len(),
                if outcome.is_none() {
                    "are as committed"
                } else {
                    "differ alike, which counts"
                },
            ));
        }
        lines
    }
}

/// Runs a program once, and where that differs from what is committed up to four times more. Only if more than half of the five
/// are as committed is that what counts; otherwise it is the most frequent difference. Ends early when the runs that are
/// left cannot change this, and at the first run that fails.
pub fn count<T>(
    mut run: impl FnMut() -> Result<T>,
    standing: impl Fn(&T) -> Standing,
) -> Result<Runs<T>> {
    let mut all: Vec<(T, Standing)> = Vec::new();
    loop {
        let one = run()?;
        let stands = standing(&one);
        let fails = matches!(stands, Standing::Fails(_));
        let is_first_and_same = all.is_empty() && stands.is_same();
        all.push((one, stands));
        if fails || is_first_and_same {
            let taken = all.len() - 1;
            return Ok(Runs { all, taken });
        }
        let same = all
            .iter()
            .filter(|(_, standing)| standing.is_same())
            .count();
        if same.max(all.len() - same) > MOST_RUNS / 2 {
            let taken = most_frequent(&all, same > MOST_RUNS / 2);
            return Ok(Runs { all, taken });
        }
    }
}

/// The first run of the most frequent outcome among those that are as committed, or among those that are not.
fn most_frequent<T>(all: &[(T, Standing)], is_same: bool) -> usize {
    let times = |outcome: Option<&str>| {
        let alike = all.iter().filter(|(_, other)| other.outcome() == outcome);
        alike.count()
    };
    let runs = all.iter().enumerate();
    let runs = runs.filter(|(_, (_, standing))| standing.is_same() == is_same);
    // `max_by_key` takes the last of several.
    let taken = runs
        .rev()
        .max_by_key(|(_, (_, standing))| times(standing.outcome()));
    taken.map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What counts when a program has these outcomes in this order, and in how many runs that is known. `=` is as
    /// committed, `~` varies as its case says, `!` can never be made good, and any other letter differs.
    fn counted(outcomes: &str) -> (String, usize) {
        let mut given = outcomes.chars();
        let runs = count(
            || Ok(given.next().expect("no more runs than outcomes")),
            |outcome| match outcome {
                '=' => Standing::Same,
                '~' => Standing::Varies("varies".to_owned()),
                '!' => Standing::Fails("fails".to_owned()),
                other => Standing::Differs(other.to_string()),
            },
        )
        .expect("outcomes");
        (runs.taken().0.to_string(), runs.all.len())
    }

    fn taken(outcomes: &str) -> String {
        counted(outcomes).0
    }

    #[test]
    fn a_run_as_committed_is_the_only_one() {
        assert_eq!(counted("="), ("=".to_owned(), 1));
        assert_eq!(counted("~"), ("~".to_owned(), 1));
    }

    #[test]
    fn one_differing_run_does_not_decide() {
        assert_eq!(counted("a==="), ("=".to_owned(), 4));
        assert_eq!(counted("a=a=="), ("=".to_owned(), 5));
        assert_eq!(counted("a=b=="), ("=".to_owned(), 5));
    }

    #[test]
    fn what_is_known_to_vary_counts_as_the_same() {
        assert_eq!(taken("a~=~"), "~");
    }

    #[test]
    fn a_difference_that_most_runs_show_counts() {
        assert_eq!(counted("aaa"), ("a".to_owned(), 3));
        assert_eq!(counted("a=a=a"), ("a".to_owned(), 5));
    }

    #[test]
    fn three_differing_runs_of_five_are_a_difference_even_if_no_two_are_alike() {
        assert_eq!(counted("a=b=c"), ("a".to_owned(), 5));
        assert_eq!(counted("ab=ac"), ("a".to_owned(), 4));
        assert_eq!(counted("abb"), ("b".to_owned(), 3));
        assert_eq!(counted("abc"), ("a".to_owned(), 3));
    }

    #[test]
    fn a_run_that_nothing_makes_good_fails_at_once() {
        assert_eq!(counted("!"), ("!".to_owned(), 1));
        assert_eq!(counted("a=!"), ("!".to_owned(), 3));
    }

    #[test]
    fn every_differing_run_is_shown_and_what_counts_in_the_end() {
        let mut given = "a~==".chars();
        let runs = count(
            || Ok(given.next().expect("a run")),
            |outcome| match outcome {
                '=' => Standing::Same,
                '~' => Standing::Varies("SIGABRT, seen in 2/20".to_owned()),
                _ => Standing::Differs("SIGBUS".to_owned()),
            },
        )
        .expect("outcomes");
        assert!(runs.is_same());
        assert_eq!(
            runs.remarks(),
            [
                "run 1: differs: SIGBUS",
                "run 2: varies as the case says: SIGABRT, seen in 2/20",
                "3 of 4 runs are as committed",
            ]
        );
    }
}
