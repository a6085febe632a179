//! A case's ground truth, and what it lets us expect on one version of TensorFlow.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use nix::sys::signal::Signal;
use serde::Deserialize;

use super::varies::Variation;
use crate::workspace;

/// The fields of `case.json` that a run is compared with. `corpus/README.md` explains all of them.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    pub id: String,
    pub primary: String,
    pub outcome_by_tensorflow: BTreeMap<String, Outcome>,
    pub packages: Vec<String>,
    pub conditions: Vec<String>,
    pub build: Option<String>,
    pub signal: Option<String>,
    pub si_code: Option<String>,
    pub si_addr: Option<String>,
    pub cause: Option<String>,
    pub accept: Vec<String>,
    /// Where a version dies of something else than the primary one.
    #[serde(default)]
    pub accept_by_tensorflow: BTreeMap<String, Vec<String>>,
    pub message: Option<String>,
    pub op: Option<String>,
    pub function: Option<String>,
    pub library: Option<String>,
    pub python_line: Option<u64>,
    pub python_frame: Option<PythonFrame>,
    pub thread: Option<String>,
    pub parent_outcome: Option<String>,
    pub deterministic: String,
    /// What is not the same in every run.
    #[serde(default)]
    pub varies: Vec<Variation>,
}

/// Where the dying Python code is, when it is not in `repro.py`.
#[derive(Debug, Clone, Deserialize)]
pub struct PythonFrame {
    pub folder: String,
    pub line: u64,
}

/// How the program ended on one version; several where runs differ.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Outcome {
    One(String),
    Several(Vec<String>),
}

/// What a run of a case has to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// A death by this signal, and this exit status of the whole run.
    Death { signal: String, exit_code: i32 },
    /// No death, and this exit status.
    Control { exit_code: i32 },
    /// No death, and no end either.
    Hang,
}

impl Case {
    /// All cases of the corpus, by name.
    pub fn all() -> Result<Vec<(PathBuf, Case)>> {
        Case::all_in(&workspace::root().join("corpus"))
    }

    /// All cases in a folder, by name.
    pub fn all_in(folder: &Path) -> Result<Vec<(PathBuf, Case)>> {
        let mut cases = Vec::new();
        for entry in fs_err::read_dir(folder)? {
            let folder = entry?.path();
            if folder.join("case.json").is_file() {
                let case = Case::read(&folder)?;
                cases.push((folder, case));
            }
        }
        cases.sort_by(|one, other| one.1.id.cmp(&other.1.id));
        Ok(cases)
    }

    pub fn read(folder: &Path) -> Result<Case> {
        let path = folder.join("case.json");
        serde_json::from_str(&fs_err::read_to_string(&path)?)
            .with_context(|| format!("cannot understand {}", path.display()))
    }

    /// The endings that count as right on this version; empty when it was not tried there.
    pub fn expected(&self, tensorflow: &str) -> Vec<Expected> {
        let words = self.outcome_words(tensorflow);
        let further = self.further_endings().filter(|_| !words.is_empty());
        let words = words.iter().map(String::as_str).chain(further);
        words.filter_map(|word| self.expectation(word)).collect()
    }

    /// The endings on this version, as the truth has them.
    pub fn outcome_words(&self, tensorflow: &str) -> &[String] {
        match self.outcome_by_tensorflow.get(tensorflow) {
            None => &[],
            Some(Outcome::One(word)) => std::slice::from_ref(word),
            Some(Outcome::Several(words)) => words,
        }
    }

    pub fn expectation(&self, word: &str) -> Option<Expected> {
        if word == "TIMEOUT" {
            return Some(Expected::Hang);
        }
        if let Some(code) = word.strip_prefix("exit") {
            let exit_code = code.parse().ok()?;
            // The parent lives on when a child is what dies.
            return Some(match (&self.parent_outcome, &self.signal) {
                (Some(_), Some(signal)) => Expected::Death {
                    signal: signal.clone(),
                    exit_code,
                },
                _ => Expected::Control { exit_code },
            });
        }
        let number = word.parse::<Signal>().ok()? as i32;
        Some(Expected::Death {
            signal: word.to_owned(),
            exit_code: 128 + number,
        })
    }

    /// The causes that count as right on this version.
    pub fn accept_on(&self, tensorflow: &str) -> &[String] {
        self.accept_by_tensorflow
            .get(tensorflow)
            .unwrap_or(&self.accept)
    }

    /// Whether all runs that made the truth ended alike.
    #[cfg(test)]
    pub fn is_deterministic(&self) -> bool {
        self.deterministic
            .split_once('/')
            .is_some_and(|(alike, all)| alike == all)
    }

    /// Why this machine cannot run the case, if it cannot.
    pub fn obstacle(&self) -> Option<String> {
        for condition in &self.conditions {
            let lacking = if condition.starts_with("root") && !nix::unistd::geteuid().is_root() {
                "needs root"
            } else if condition.contains("cgroup v1")
                && !Path::new("/sys/fs/cgroup/memory/cgroup.procs").is_file()
            {
                "needs the memory controller of cgroup v1"
            } else if condition.contains("CPU without AVX-512") && cpu_has("avx512f") {
                "needs a CPU without AVX-512"
            } else {
                continue;
            };
            return Some(lacking.to_owned());
        }
        if self.build.is_some() && workspace::find_program("g++").is_none() {
            return Some("needs g++".to_owned());
        }
        None
    }
}

fn cpu_has(flag: &str) -> bool {
    fs_err::read_to_string("/proc/cpuinfo")
        .is_ok_and(|text| text.split_whitespace().any(|word| word == flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_of_the_corpus_can_be_read_and_has_its_folder_name() {
        let cases = Case::all().unwrap();
        assert!(cases.len() >= 73);
        for (folder, case) in cases {
            assert!(
                folder.ends_with(&case.id),
                "{} is in {}",
                case.id,
                folder.display()
            );
            assert!(
                !case.expected(&case.primary).is_empty(),
                "{} has no outcome on its primary version",
                case.id
            );
        }
    }

    #[test]
    fn the_exit_of_a_surviving_parent_does_not_hide_the_death_of_its_child() {
        let (_, case) = Case::all()
            .unwrap()
            .into_iter()
            .find(|(_, case)| case.id == "child-pool-worker")
            .unwrap();
        assert_eq!(
            case.expected("2.15.1"),
            [Expected::Death {
                signal: "SIGSEGV".to_owned(),
                exit_code: 0
            }]
        );
    }
}
