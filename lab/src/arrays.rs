//! `cargo lab arrays`: compares what crashlens reads of arrays and tensors with what programs said of their own.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{command, corpus, python, workspace};

#[derive(clap::Args, Default)]
pub struct Options {
    /// Compare on this version of tensorflow-cpu; may be given several times
    #[arg(long, value_name = "VERSION")]
    pub tensorflow: Vec<String>,
    /// Compare on this version of NumPy, as pip understands it (==1.26.4, <2); may be given several times
    #[arg(long, value_name = "VERSION")]
    pub numpy: Vec<String>,
    /// Compare on this interpreter, with what is installed there; may be given several times
    #[arg(long, value_name = "PATH")]
    pub python: Vec<PathBuf>,
}

/// Both majors of NumPy: their layouts differ.
pub const NUMPY: [&str; 2] = ["<2", ">=2"];

pub fn run(options: &Options) -> Result<()> {
    let mut pythons = Vec::new();
    for path in &options.python {
        pythons.push(std::path::absolute(path)?);
    }
    for version in &options.tensorflow {
        pythons.push(corpus::environment_of(version)?);
    }
    for version in &options.numpy {
        pythons.push(numpy(version)?);
    }
    if pythons.is_empty() {
        pythons.push(corpus::default_environment()?);
        for version in NUMPY {
            pythons.push(numpy(version)?);
        }
    }
    compare(pythons)
}

/// Compares on these interpreters, with what is installed there.
pub fn compare(pythons: Vec<PathBuf>) -> Result<()> {
    let mut test = workspace::cargo();
    test.args(["test", "--package", "crashlens", "--test", "cli"])
        .args(["traced::arrays::", "--", "--test-threads=1", "--nocapture"])
        .env("CRASHLENS_ARRAYS", std::env::join_paths(pythons)?);
    command::succeed(&mut test)
}

/// The interpreter of an environment with this NumPy and nothing else.
pub fn numpy(version: &str) -> Result<PathBuf> {
    let interpreter = [(3, 11), (3, 12), (3, 10), (3, 9)]
        .into_iter()
        .find_map(python::of_series)
        .context("there is no Python 3.9 to 3.12, which both majors of NumPy run on")?;
    let name = version
        .replace(">=", "from-")
        .replace("==", "")
        .replace('<', "below-");
    let packages = BTreeSet::from([format!("numpy{version}")]);
    python::environment(&format!("venv-numpy-{name}"), &interpreter, &packages, None)
}
