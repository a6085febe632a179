//! What the machine has for the cases, and the folders in which they are run.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::case::{Case, Need};
use super::tmux::{SEARCH, SIDES};
use crate::{corpus, python, workspace};

/// The packages from PyPI that cases need.
const PACKAGES: [&str; 3] = ["ipython==8.31.0", "pytest==8.3.4", "tqdm==4.67.1"];

/// How the program is started in the second terminal.
pub enum Second {
    /// Under this crashlens.
    Supervised(PathBuf),
    /// Alone, as in the first. Then nothing may differ, or the comparison itself is wrong.
    Bare,
}

pub struct Room {
    second: Second,
    /// The interpreter of the virtual environment, or why there is none.
    packages: Result<PathBuf, String>,
    tensorflow: Option<PathBuf>,
}

impl Room {
    pub fn new(second: Second) -> Self {
        let tensorflow = workspace::scratch()
            .ok()
            .map(|scratch| scratch.join(format!("venv-{}/bin/python", corpus::DEFAULT_TENSORFLOW)))
            .filter(|path| path.is_file());
        Self {
            second,
            packages: environment().map_err(|error| format!("{error:#}")),
            tensorflow,
        }
    }

    /// Why the case cannot be run here.
    pub fn lacks(&self, case: &Case) -> Option<String> {
        case.needs.iter().find_map(|need| match need {
            Need::Program(name) => find(name)
                .is_none()
                .then(|| format!("there is no {name} on this machine")),
            Need::Packages => self
                .packages
                .as_ref()
                .err()
                .map(|error| format!("packages cannot be had: {error}")),
            Need::TensorFlow => self
                .tensorflow
                .is_none()
                .then(|| "there is no TensorFlow; `cargo lab tensorflow` installs it".to_owned()),
        })
    }

    /// The folder with `python3`, which comes first on the search path.
    pub fn python_folder(&self) -> Option<String> {
        let python = self.packages.as_ref().ok()?;
        Some(python.parent()?.to_string_lossy().into_owned())
    }

    /// Makes the two working folders of a case and, beside them, the two folders with what `run` means.
    pub fn furnish(&self, folder: &Path, case: &Case) -> Result<()> {
        for side in SIDES {
            let place = folder.join(side);
            fs_err::create_dir(&place)?;
            for (name, content) in case.files {
                let file = place.join(name);
                if let Some(parent) = file.parent() {
                    fs_err::create_dir_all(parent)?;
                }
                fs_err::write(&file, content)?;
            }
            prepare(&place, case)?;
            let bin = place.with_extension("bin");
            fs_err::create_dir(&bin)?;
            self.write_run(&bin.join("run"), side)?;
            if case.needs.contains(&Need::TensorFlow)
                && let Some(python) = &self.tensorflow
            {
                // No link: the interpreter finds its environment by the path it was started with.
                let line = format!("exec '{}' \"$@\"", python.display());
                write_script(&bin.join("tensorflow-python"), &line)?;
            }
        }
        Ok(())
    }

    /// A script and no alias or function: job control then shows the same command in both terminals.
    fn write_run(&self, path: &Path, side: &str) -> Result<()> {
        let supervisor = match &self.second {
            Second::Supervised(crashlens) if side == SIDES[1] => {
                format!("'{}' run --no-save -- ", crashlens.display())
            }
            _ => String::new(),
        };
        write_script(path, &format!("exec {supervisor}\"$@\""))
    }
}

fn write_script(path: &Path, line: &str) -> Result<()> {
    fs_err::write(path, format!("#!/bin/sh\n{line}\n"))?;
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

fn prepare(place: &Path, case: &Case) -> Result<()> {
    if case.setup.is_empty() {
        return Ok(());
    }
    let output = Command::new("sh")
        .args(["-ec", case.setup])
        .current_dir(place)
        .env_clear()
        .env("PATH", SEARCH)
        .env("HOME", place)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .output()?;
    ensure!(
        output.status.success(),
        "the preparation of {} failed: {}",
        case.name,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

fn environment() -> Result<PathBuf> {
    let interpreter = python::of_series((3, 11))
        .or_else(|| python::interpreters().pop())
        .context("there is no Python")?;
    let packages: BTreeSet<_> = PACKAGES.into_iter().map(str::to_owned).collect();
    python::environment("terminal", &interpreter, &packages, None)
}

/// A program of this name, where the shells look for it.
fn find(name: &str) -> Option<PathBuf> {
    std::env::split_paths(SEARCH)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// Whether there is a tmux to run anything in.
pub fn has_tmux() -> bool {
    find("tmux").is_some()
}
