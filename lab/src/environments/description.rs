//! The environments as their data files describe them.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::workspace;

/// Where the descriptions are.
pub const FOLDER: &str = "environments";
/// The file of bases among them.
const BASES: &str = "bases.toml";

/// An installation that environments are made of.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Base {
    pub name: String,
    /// The interpreter's series: `3.11`.
    pub python: Option<String>,
    /// What pip installs.
    #[serde(default)]
    pub packages: Vec<String>,
    /// The environment that the corpus has for this version of TensorFlow, in the place of a new one.
    pub corpus: Option<String>,
    /// An interpreter that is there already and is looked at as it is; nothing can be changed in it.
    pub interpreter: Option<PathBuf>,
}

/// One environment, what really happens in it, and what a check has to say of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    pub name: String,
    /// The chapter, after the file's name; `healthy` has nothing to be found.
    #[serde(skip)]
    pub chapter: String,
    /// What is special here, as half a sentence.
    pub about: String,
    /// Name of the base that a copy is made of.
    pub base: String,
    /// Further bases that have to be there.
    #[serde(default)]
    pub also: Vec<String>,
    /// Changes to the copy: shell lines, after `environments/prelude.sh`.
    #[serde(default)]
    pub setup: String,
    /// Around both the program and the check: shell lines that may set variables and limits, or `exec … "$@"`.
    #[serde(default)]
    pub around: String,
    /// Around the program alone, such as an emulator of another processor.
    #[serde(default)]
    pub around_program: String,
    /// Python that uses the environment.
    pub program: String,
    /// How it ends: `exit 0`, `exit 1`, `SIGSEGV`; several where that differs.
    pub ends: Vec<String>,
    /// Words that it says on the way.
    #[serde(default)]
    pub says: String,
    /// What has to be found; nothing else may be.
    #[serde(default)]
    pub findings: Vec<ExpectedFinding>,
    /// Whether it is part of the project's tests; it has to be small and quick then.
    #[serde(default)]
    pub ci: bool,
    /// Whether its survey is kept as a test case.
    #[serde(default)]
    pub record: bool,
    /// Where the truth and the check part, and why that is right.
    #[serde(default)]
    pub note: String,
}

/// A finding, or several of one rule that are alike.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFinding {
    /// Name of the rule.
    pub rule: String,
    /// `will-fail`, `can-crash` or `worth-knowing`.
    pub severity: String,
    /// How the path of one of its files ends.
    #[serde(default)]
    pub file: String,
    /// One of its packages.
    #[serde(default)]
    pub package: String,
    /// Part of a command that mends it.
    #[serde(default)]
    pub fix: String,
    /// Part of its headline.
    #[serde(default)]
    pub headline: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BaseFile {
    base: Vec<Base>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chapter {
    environment: Vec<Environment>,
}

impl Base {
    pub fn all() -> Result<Vec<Self>> {
        let path = workspace::root().join(FOLDER).join(BASES);
        let file: BaseFile = toml::from_str(&fs_err::read_to_string(&path)?)
            .with_context(|| format!("cannot understand {}", path.display()))?;
        Ok(file.base)
    }
}

impl Environment {
    /// All of them, by chapter, in the order of the files.
    pub fn all() -> Result<Vec<Self>> {
        let mut files: Vec<_> = fs_err::read_dir(workspace::root().join(FOLDER))?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        let mut environments: Vec<Self> = Vec::new();
        for path in files {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let Some(chapter) = name.strip_suffix(".toml").filter(|_| name != BASES) else {
                continue;
            };
            let mut file: Chapter = toml::from_str(&fs_err::read_to_string(&path)?)
                .with_context(|| format!("cannot understand {}", path.display()))?;
            for environment in &mut file.environment {
                chapter.clone_into(&mut environment.chapter);
            }
            environments.extend(file.environment);
        }
        for (index, one) in environments.iter().enumerate() {
            let is_twice = environments[..index].iter().any(|it| it.name == one.name);
            ensure!(!is_twice, "{} is described twice", one.name);
        }
        Ok(environments)
    }
}
