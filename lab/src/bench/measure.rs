//! Runs one command and tells what it used.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::{command, workspace};

/// What a command and its descendants used.
#[derive(Debug, Clone, Deserialize)]
pub struct Usage {
    pub cpu_seconds: f64,
    pub elapsed_seconds: f64,
    pub peak_kib: u64,
    pub exit_code: i32,
    /// Standard output; not of the kernel's making.
    #[serde(skip)]
    pub output: String,
}

/// Runs the words as a command in `place`. Its own exit code is a figure, not our failure.
pub fn measure(place: &Path, words: &[OsString], variables: &[(&str, &str)]) -> Result<Usage> {
    // Safe Rust has no wait4, and RUSAGE_CHILDREN cannot tell one child's peak from another's.
    let result = place.join("usage.json");
    let stdout = place.join("stdout.txt");
    let mut run = Command::new("python3");
    run.arg(workspace::root().join("benches/measure.py"))
        .arg(&result)
        .args(words)
        .current_dir(place)
        .env("TF_CPP_MIN_LOG_LEVEL", "2")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(fs_err::File::create(&stdout)?.into_file())
        .stderr(fs_err::File::create(place.join("stderr.txt"))?.into_file());
    command::succeed(&mut run)?;
    let mut usage: Usage = serde_json::from_str(&fs_err::read_to_string(&result)?)
        .context("measure.py wrote no figures")?;
    usage.output = String::from_utf8_lossy(&fs_err::read(&stdout)?).into_owned();
    Ok(usage)
}

/// The middle value, or the mean of the two in the middle.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len() % 2 == 1 {
        upper
    } else {
        f64::midpoint(values[middle - 1], upper)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(vec![]), None);
    }
}
