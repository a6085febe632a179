//! What TensorFlow does with each file: measured, and kept.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};

use super::read;
use crate::workspace;

/// The versions that are compared, newest first.
pub const VERSIONS: [&str; 3] = ["2.21.0", "2.15.1", "2.12.1"];

/// What became of a reading, the worst last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It gave what the undamaged file gives.
    Same,
    /// It gave something else, without a word.
    Different,
    /// An exception: its type and the beginning of its words.
    Exception(String),
    Hang,
    /// The process died of this signal.
    Signal(i32),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => write!(f, "same"),
            Self::Different => write!(f, "different"),
            Self::Exception(words) => write!(f, "exception {words}"),
            Self::Hang => write!(f, "hang"),
            Self::Signal(number) => write!(f, "signal {number}"),
        }
    }
}

impl FromStr for Outcome {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        Ok(match word {
            "same" => Self::Same,
            "different" => Self::Different,
            "exception" => Self::Exception(rest.to_owned()),
            "hang" => Self::Hang,
            "signal" => Self::Signal(rest.parse()?),
            _ => bail!("no outcome: {text}"),
        })
    }
}

/// Outcomes by what was done to which base: `jpeg/progressive`, then `flip-12-3`.
#[derive(Debug, Default)]
pub struct Truth(BTreeMap<String, BTreeMap<String, Outcome>>);

impl Truth {
    pub fn of(version: &str) -> Result<Self> {
        let path = place(version);
        if !path.is_file() {
            return Ok(Self::default());
        }
        let mut truth = Self::default();
        for line in fs_err::read_to_string(&path)?.lines() {
            let mut columns = line.split('\t');
            let (Some(base), Some(outcome), Some(deeds)) =
                (columns.next(), columns.next(), columns.next())
            else {
                bail!("{} has a line with too few columns", path.display());
            };
            let outcome: Outcome = outcome.parse()?;
            let deeds = deeds
                .split(' ')
                .map(|deed| (deed.to_owned(), outcome.clone()));
            truth.0.entry(base.to_owned()).or_default().extend(deeds);
        }
        Ok(truth)
    }

    /// What became of one; nothing where it was not measured, or where the undamaged file is refused already.
    pub fn outcome(&self, base: &str, deed: &str) -> Option<&Outcome> {
        let deeds = self.0.get(base)?;
        match deeds.get("whole")? {
            Outcome::Exception(_) => None,
            _ => deeds.get(deed),
        }
    }

    /// With what was measured now in the place of what was known of the same bases.
    pub fn replace(&mut self, measured: Self) {
        self.0.extend(measured.0);
    }

    /// Lines of one base and outcome each, so that five thousand files take few bytes.
    pub fn write(&self, version: &str) -> Result<()> {
        let mut lines = String::new();
        for (base, deeds) in &self.0 {
            let mut by_outcome: BTreeMap<&Outcome, Vec<&str>> = BTreeMap::new();
            for (deed, outcome) in deeds {
                by_outcome.entry(outcome).or_default().push(deed);
            }
            for (outcome, deeds) in by_outcome {
                let _ = writeln!(lines, "{base}\t{outcome}\t{}", deeds.join(" "));
            }
        }
        Ok(fs_err::write(place(version), lines)?)
    }
}

fn place(version: &str) -> PathBuf {
    workspace::root().join(format!("corpus/files/truth-{version}.tsv"))
}

/// Has the files read by the TensorFlow of this interpreter.
pub fn measure(python: &Path, files: &[(String, PathBuf)]) -> Result<Truth> {
    parse(&read::ask(python, "read.py", files)?)
}

fn parse(lines: &str) -> Result<Truth> {
    let mut truth = Truth::default();
    for line in lines.lines() {
        let (label, outcome) = line.split_once('\t').context("no outcome")?;
        let (base, deed) = label.split_once('@').context("no deed")?;
        let outcome = outcome
            .parse()
            .with_context(|| format!("cannot understand what became of {label}"))?;
        let deeds = truth.0.entry(base.to_owned()).or_default();
        deeds.insert(deed.to_owned(), outcome);
    }
    Ok(truth)
}
