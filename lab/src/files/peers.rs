//! What other checkers say of the same files: measured once, and kept in `corpus/files/peers.tsv`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::read;
use crate::{python, workspace};

const KEPT: &str = "corpus/files/peers.tsv";

/// What is installed to ask them; modelscan needs TensorFlow for some formats.
const PACKAGES: [&str; 7] = [
    "pillow==10.3.0",
    "tfrecord==1.14.6",
    "h5py==3.16.0",
    "modelscan==0.8.8",
    "picklescan==1.0.5",
    "tensorflow-cpu==2.15.1",
    "protobuf==4.25.9",
];

/// What one tool said of the damaged files of one base.
#[derive(Debug, Default)]
struct Asked {
    flagged: BTreeSet<String>,
    passed: BTreeSet<String>,
}

/// By tool, then base.
#[derive(Debug, Default)]
pub struct Peers(BTreeMap<String, BTreeMap<String, Asked>>);

impl Peers {
    pub fn read() -> Result<Self> {
        let mut peers = Self::default();
        let path = workspace::root().join(KEPT);
        if !path.is_file() {
            return Ok(peers);
        }
        for line in fs_err::read_to_string(&path)?.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let [tool, base, said, deeds] = columns[..] else {
                anyhow::bail!("{KEPT} has a line with too few columns");
            };
            for deed in deeds.split(' ') {
                peers.add(tool, base, deed, said);
            }
        }
        Ok(peers)
    }

    /// Asks them all; an interpreter that has them may be given.
    pub fn measure(given: Option<PathBuf>, files: &[(String, PathBuf)]) -> Result<Self> {
        let python = given.map_or_else(environment, Ok)?;
        let mut peers = Self::default();
        for line in read::ask(&python, "peers.py", files)?.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let [label, tool, said] = columns[..] else {
                continue;
            };
            let (base, deed) = label.split_once('@').context("no deed")?;
            peers.add(tool, base, deed, said);
        }
        Ok(peers)
    }

    /// Takes what was said anew in place of what was said before of the same bases.
    pub fn replace(&mut self, newer: Self) {
        for (tool, bases) in newer.0 {
            self.0.entry(tool).or_default().extend(bases);
        }
    }

    fn add(&mut self, tool: &str, base: &str, deed: &str, said: &str) {
        let bases = self.0.entry(tool.to_owned()).or_default();
        let asked = bases.entry(base.to_owned()).or_default();
        let place = if said == "flags" {
            &mut asked.flagged
        } else {
            &mut asked.passed
        };
        place.insert(deed.to_owned());
    }

    pub fn write(&self) -> Result<()> {
        let mut lines = String::new();
        for (tool, bases) in &self.0 {
            for (base, asked) in bases {
                for (said, deeds) in [("flags", &asked.flagged), ("passes", &asked.passed)] {
                    if !deeds.is_empty() {
                        let deeds: Vec<_> = deeds.iter().map(String::as_str).collect();
                        let _ = writeln!(lines, "{tool}\t{base}\t{said}\t{}", deeds.join(" "));
                    }
                }
            }
        }
        Ok(fs_err::write(workspace::root().join(KEPT), lines)?)
    }

    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether a tool flags a file; nothing where it was not asked.
    pub fn flags(&self, tool: &str, base: &str, deed: &str) -> Option<bool> {
        let asked = self.0.get(tool)?.get(base)?;
        if asked.flagged.contains(deed) {
            return Some(true);
        }
        asked.passed.contains(deed).then_some(false)
    }
}

fn environment() -> Result<PathBuf> {
    let interpreter = python::of_series((3, 11)).context("no Python 3.11 here")?;
    let packages = PACKAGES.map(str::to_owned).into();
    python::environment("venv-files-peers", &interpreter, &packages, None)
}
