//! Finds Python interpreters and makes virtual environments.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::{command, workspace};

/// An interpreter on this machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interpreter {
    /// Major, minor and micro version.
    pub version: (u32, u32, u32),
    /// Its executable, with links resolved.
    pub path: PathBuf,
}

impl Interpreter {
    /// `3.11` or the like.
    pub fn series(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }
}

/// Every interpreter of the pyenv folders and the search path, oldest first.
pub fn interpreters() -> Vec<Interpreter> {
    let mut found = BTreeSet::new();
    for candidate in candidates() {
        if let Some(interpreter) = probe(&candidate) {
            found.insert(interpreter);
        }
    }
    found.into_iter().collect()
}

/// One interpreter of the series, such as `(3, 11)`. A pyenv build comes first: it has the symbols
/// that a distribution strips, and the corpus' ground truth names functions by them.
pub fn of_series(series: (u32, u32)) -> Option<Interpreter> {
    let mut matching: Vec<_> = interpreters()
        .into_iter()
        .filter(|found| (found.version.0, found.version.1) == series)
        .collect();
    matching.sort_by_key(|found| !found.path.to_string_lossy().contains("/versions/"));
    matching.into_iter().next()
}

fn candidates() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let pyenv = std::env::var_os("PYENV_ROOT")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".pyenv")));
    if let Some(versions) = pyenv.and_then(|root| fs_err::read_dir(root.join("versions")).ok()) {
        paths.extend(
            versions
                .flatten()
                .map(|version| version.path().join("bin/python")),
        );
    }
    let names = ["python3", "python2.7"].into_iter().map(str::to_owned);
    let names: Vec<_> = names
        .chain((6..=14).map(|minor| format!("python3.{minor}")))
        .collect();
    // Interpreters that are nowhere else, such as one of a newer distribution unpacked beside the system.
    if let Some(further) = std::env::var_os("CRASHLENS_PYTHONS") {
        paths.extend(std::env::split_paths(&further));
    }
    if let Some(search) = std::env::var_os("PATH") {
        for folder in std::env::split_paths(&search) {
            // The shims of pyenv are scripts which choose one of the versions that are listed already.
            if !folder.ends_with("shims") {
                paths.extend(names.iter().map(|name| folder.join(name)));
            }
        }
    }
    paths.retain(|path| path.is_file());
    paths
}

/// The interpreter at this path, if it is one and runs.
pub fn probe(path: &Path) -> Option<Interpreter> {
    let script = "import sys; print('%d %d %d' % sys.version_info[:3])";
    let output = Command::new(path)
        .args(["-c", script])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some(Interpreter {
        version: (next()?, next()?, next()?),
        path: path.canonicalize().ok()?,
    })
}

/// A virtual environment with exactly these packages, made once. `constraints` pins what they pull in.
pub fn environment(
    name: &str,
    interpreter: &Interpreter,
    packages: &BTreeSet<String>,
    constraints: Option<&Path>,
) -> Result<PathBuf> {
    let folder = workspace::scratch()?.join(name);
    let python = folder.join("bin/python");
    let pins = constraints
        .map(fs_err::read_to_string)
        .transpose()?
        .unwrap_or_default();
    let wanted = format!("{}\n{packages:?}\n{pins}", interpreter.path.display());
    let stamp = folder.join("installed.txt");
    if python.is_file() && fs_err::read_to_string(&stamp).is_ok_and(|installed| installed == wanted)
    {
        return Ok(python);
    }
    println!(
        "making the environment {name} with Python {}",
        interpreter.series()
    );
    command::succeed(
        Command::new(&interpreter.path)
            .args(["-m", "venv", "--clear"])
            .arg(&folder),
    )
    .context("cannot make a virtual environment; on Debian it needs the package python3-venv")?;
    let mut pip = Command::new(&python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ])
    .args(packages);
    if let Some(constraints) = constraints {
        pip.arg("--constraint").arg(constraints);
    }
    if !packages.is_empty() {
        command::succeed(&mut pip)?;
    }
    fs_err::write(&stamp, wanted)?;
    Ok(python)
}
