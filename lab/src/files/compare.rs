//! Holds what was said against what TensorFlow does.

use std::collections::BTreeMap;

use super::page::Beside;
use super::peers::Peers;
use super::said::Said;
use super::truth::{Outcome, Truth};

/// Classes of outcomes, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A signal or a hang.
    Breaks,
    Rejects,
    /// Other values without a word.
    Differs,
    Reads,
}

impl Class {
    pub const ALL: [Self; 4] = [Self::Breaks, Self::Rejects, Self::Differs, Self::Reads];

    fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Signal(_) | Outcome::Hang => Self::Breaks,
            Outcome::Exception(_) => Self::Rejects,
            Outcome::Different => Self::Differs,
            Outcome::Same => Self::Reads,
        }
    }
}

/// A damaged file, and what was said of it.
#[derive(Debug)]
pub struct Judged {
    pub format: String,
    /// `jpeg/progressive`.
    pub base: String,
    pub deed: String,
    /// By structure and checksums, and with `--full`.
    pub said: [Said; 2],
}

impl Judged {
    pub fn label(&self) -> String {
        format!("{}@{}", self.base, self.deed)
    }
}

/// Counts of one class: all, those flagged by default, those flagged with `--full`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub all: usize,
    pub flagged: [usize; 2],
}

impl Count {
    pub fn add(&mut self, said: &[Said; 2], version: &str) {
        self.all += 1;
        for (flagged, said) in self.flagged.iter_mut().zip(said) {
            *flagged += usize::from(said.warns_of(version));
        }
    }

    pub fn sum(&mut self, other: Self) {
        self.all += other.all;
        for (flagged, more) in self.flagged.iter_mut().zip(other.flagged) {
            *flagged += more;
        }
    }
}

/// Where crashlens and TensorFlow disagree, even with `--full`.
#[derive(Debug)]
pub struct Miss<'a> {
    pub class: Class,
    pub version: &'static str,
    pub file: &'a Judged,
    pub outcome: Outcome,
}

/// Everything that is compared with one version of TensorFlow.
#[derive(Debug, Default)]
pub struct Comparison<'a> {
    pub counts: BTreeMap<String, BTreeMap<Class, Count>>,
    pub misses: Vec<Miss<'a>>,
}

pub fn compare<'a>(files: &'a [Judged], version: &'static str, truth: &Truth) -> Comparison<'a> {
    let mut comparison = Comparison::default();
    for file in files {
        let Some(outcome) = truth.outcome(&file.base, &file.deed) else {
            continue;
        };
        let class = Class::of(outcome);
        let counts = comparison.counts.entry(file.format.clone()).or_default();
        counts.entry(class).or_default().add(&file.said, version);
        let is_flagged = file.said[1].warns_of(version);
        let is_miss = match class {
            Class::Breaks | Class::Rejects => !is_flagged,
            Class::Reads => is_flagged,
            // Without a checksum nobody can know.
            Class::Differs => false,
        };
        if is_miss {
            comparison.misses.push(Miss {
                class,
                version,
                file,
                outcome: outcome.clone(),
            });
        }
    }
    comparison
}

impl Comparison<'_> {
    pub fn total(&self, class: Class) -> Count {
        let mut total = Count::default();
        for counts in self.counts.values() {
            total.sum(counts.get(&class).copied().unwrap_or_default());
        }
        total
    }

    /// What falls short of what crashlens promises.
    pub fn faults(&self, version: &str) -> Vec<String> {
        let [breaks, rejects, reads] =
            [Class::Breaks, Class::Rejects, Class::Reads].map(|class| self.total(class));
        let mut faults = Vec::new();
        if breaks.flagged[1] < breaks.all {
            let missed = breaks.all - breaks.flagged[1];
            faults.push(format!(
                "{version}: {missed} of {} files that break TensorFlow are not flagged",
                breaks.all
            ));
        }
        if rejects.flagged[1] * 100 < rejects.all * 99 {
            let missed = rejects.all - rejects.flagged[1];
            faults.push(format!(
                "{version}: {missed} of {} files that TensorFlow rejects are not flagged",
                rejects.all
            ));
        }
        if reads.flagged[1] * 100 > reads.all * 2 {
            faults.push(format!(
                "{version}: {} of {} files that TensorFlow reads are flagged",
                reads.flagged[1], reads.all
            ));
        }
        faults
    }
}

/// Other checkers on the files that one version was measured on.
pub fn beside(files: &[Judged], version: &str, truth: &Truth, peers: &Peers) -> Vec<Beside> {
    let mut rows = Vec::new();
    for tool in peers.tools() {
        let mut by_format: BTreeMap<&str, BTreeMap<Class, [usize; 3]>> = BTreeMap::new();
        for file in files {
            let outcome = truth.outcome(&file.base, &file.deed);
            let flags = peers.flags(tool, &file.base, &file.deed);
            let (Some(outcome), Some(flags)) = (outcome, flags) else {
                continue;
            };
            let counts = by_format.entry(&file.format).or_default();
            let count = counts.entry(Class::of(outcome)).or_default();
            count[0] += 1;
            count[1] += usize::from(flags);
            count[2] += usize::from(file.said[1].warns_of(version));
        }
        rows.extend(by_format.into_iter().map(|(format, counts)| Beside {
            tool: tool.to_owned(),
            format: format.to_owned(),
            counts,
        }));
    }
    rows
}
