//! Which files are opened in which environments: `corpus/links.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::make;
use crate::workspace;

/// The whole plan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub environment: Vec<Environment>,
    wheel: Vec<Wheel>,
    built: Vec<Built>,
    borrowed: Vec<Borrowed>,
}

/// An environment, and how to make it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    pub name: String,
    /// The corpus' own environment with this TensorFlow; otherwise `python` and `packages` say what to make.
    pub corpus: Option<String>,
    pub python: Option<String>,
    #[serde(default)]
    pub packages: Vec<String>,
    /// Whether a plain run compares its files.
    #[serde(default)]
    pub live: bool,
}

/// A wheel of which some files are opened elsewhere.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wheel {
    package: String,
    /// Ends of file names.
    files: Vec<String>,
    into: Vec<String>,
}

/// A file that is compiled here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Built {
    pub name: String,
    /// The environment whose TensorFlow it is built for; without one it is the file with the impossible need.
    pub headers: Option<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    into: Vec<String>,
    #[serde(default)]
    live: bool,
}

/// Files of one environment that another opens.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Borrowed {
    from: String,
    into: Vec<String>,
    at_most: usize,
}

/// A file to open, with the name it has in the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    pub label: String,
    pub path: PathBuf,
}

/// What is opened, by the name of the environment.
pub type Candidates = BTreeMap<String, Vec<Candidate>>;

impl Plan {
    pub fn read() -> Result<Self> {
        let path = workspace::root().join("corpus/links.toml");
        let text = fs_err::read_to_string(&path)?;
        toml::from_str(&text).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Everything to open; with `live` only what a plain run compares.
    pub fn candidates(&self, live: bool, places: &make::Places) -> Result<Candidates> {
        let mut all = Candidates::new();
        for environment in self.environment.iter().filter(|one| one.live || !live) {
            let own = own_files(places, &environment.name)?;
            all.entry(environment.name.clone()).or_default().extend(own);
        }
        for built in self.built.iter().filter(|one| one.live || !live) {
            let path = make::built(built, places)?;
            let label = format!("built: {}", built.name);
            self.hand_out(&mut all, &built.into, live, &[Candidate { label, path }]);
        }
        if live {
            return Ok(all);
        }
        for wheel in &self.wheel {
            let folder = make::wheel(&wheel.package, places)?;
            let mut files = native_files(&folder, &format!("{}: ", wheel.package))?;
            files.retain(|file| wheel.files.iter().any(|end| is_named(&file.path, end)));
            self.hand_out(&mut all, &wheel.into, live, &files);
        }
        for borrowed in &self.borrowed {
            let mut files = own_files(places, &borrowed.from)?;
            for file in &mut files {
                file.label = format!("{}: {}", borrowed.from, file.label);
            }
            let files = spread(files, borrowed.at_most);
            self.hand_out(&mut all, &borrowed.into, live, &files);
        }
        Ok(all)
    }

    fn hand_out(&self, all: &mut Candidates, into: &[String], live: bool, files: &[Candidate]) {
        let wanted = self.environment.iter().filter(|one| one.live || !live);
        for environment in wanted.filter(|one| into.contains(&one.name)) {
            let files = files.iter().cloned();
            all.entry(environment.name.clone())
                .or_default()
                .extend(files);
        }
    }
}

/// `.so` stands for any extension module, a name with letters before it for itself.
fn is_named(path: &Path, end: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if end.starts_with('.') {
        name.ends_with(end)
    } else {
        name == end
    }
}

/// The native files of an environment, by their path in its folder of packages.
fn own_files(places: &make::Places, name: &str) -> Result<Vec<Candidate>> {
    let folder = places.folder(name)?;
    let mut files = Vec::new();
    for library in fs_err::read_dir(folder.join("lib"))? {
        let site = library?.path().join("site-packages");
        if site.is_dir() {
            files.extend(native_files(&site, "")?);
        }
    }
    Ok(files)
}

/// Every `*.so` and `*.so.*` below a folder, links left out.
fn native_files(folder: &Path, prefix: &str) -> Result<Vec<Candidate>> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(inner) = pending.pop() {
        for entry in fs_err::read_dir(inner)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() {
                pending.push(path);
            } else if kind.is_file() && format!("{name}.").contains(".so.") {
                let label = path.strip_prefix(folder)?.display();
                files.push(Candidate {
                    label: format!("{prefix}{label}"),
                    path,
                });
            }
        }
    }
    files.sort();
    Ok(files)
}

/// At most so many, evenly spread over the list.
fn spread(files: Vec<Candidate>, at_most: usize) -> Vec<Candidate> {
    let step = files.len().div_ceil(at_most.max(1)).max(1);
    files.into_iter().step_by(step).collect()
}
