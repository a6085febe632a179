//! What really happens in an environment, and what a check says of it.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::build::Place;
use super::description::Environment;
use crate::command::{self, Ended};

/// An import of TensorFlow under an emulator takes minutes.
const LIMIT: Duration = Duration::from_mins(8);
/// Variables of the developer's that would change what programs load.
const CLEARED: [&str; 5] = [
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
];
/// Letters kept of a line.
const LINE: usize = 240;

/// What a program did.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// `exit 0`, `SIGSEGV`.
    pub ended: String,
    /// The line with the words that were expected, or the last one.
    pub said: String,
    /// Whether those words were there.
    pub said_so: bool,
}

/// What a check found, as far as it is compared and told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub rule: String,
    pub severity: String,
    pub headline: String,
    #[serde(default)]
    pub files: Vec<String>,
    #[serde(default)]
    pub packages: Vec<String>,
    /// Commands of its remedies.
    #[serde(default)]
    pub commands: Vec<String>,
}

/// Runs the program of the environment.
pub fn really(environment: &Environment, place: &Place) -> Result<Outcome> {
    let scratch = tempfile::tempdir()?;
    let said = scratch.path().join("said.txt");
    let mut run = around(environment, place, &environment.around_program);
    let output = fs_err::File::create(&said)?.into_file();
    run.arg(&place.python)
        .args(["-c", &environment.program])
        .current_dir(scratch.path())
        .env("TF_CPP_MIN_LOG_LEVEL", "2")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    let ended = match command::run_for(&mut run, LIMIT)? {
        Ended::Within(status) => ending(status),
        Ended::Stopped => "no end".to_owned(),
    };
    let text = String::from_utf8_lossy(&fs_err::read(&said)?).into_owned();
    let telling = text.lines().find(|line| line.contains(&environment.says));
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let line = telling.filter(|_| !environment.says.is_empty()).or(last);
    Ok(Outcome {
        ended,
        said: line.unwrap_or_default().chars().take(LINE).collect(),
        said_so: environment.says.is_empty() || telling.is_some(),
    })
}

/// Runs a check of the environment. Where `saved` is given, the survey is left there.
pub fn checked(
    environment: &Environment,
    place: &Place,
    crashlens: &Path,
    saved: Option<&Path>,
) -> Result<Vec<Finding>> {
    let scratch = tempfile::tempdir()?;
    let report = scratch.path().join("report.json");
    let mut run = around(environment, place, "");
    run.arg(crashlens)
        .args(["check", "--format", "json", "--output"])
        .arg(&report)
        .arg("--python")
        .arg(&place.python)
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if let Some(saved) = saved {
        run.arg("--save").arg(saved);
    }
    let Ended::Within(status) = command::run_for(&mut run, LIMIT)? else {
        bail!("the check of {} did not end", environment.name);
    };
    let text = fs_err::read_to_string(&report)
        .with_context(|| format!("the check ended with {}", ending(status)))?;
    let report: Value = serde_json::from_str(&text)?;
    let findings = report
        .pointer("/inspections/0/findings")
        .and_then(Value::as_array);
    let findings = findings.context("the report has no findings")?;
    Ok(findings.iter().map(finding).collect())
}

fn finding(value: &Value) -> Finding {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |name: &str, item: &dyn Fn(&Value) -> String| {
        let items = value[name].as_array().map(Vec::as_slice);
        items.unwrap_or_default().iter().map(item).collect()
    };
    let mut commands: Vec<String> = list("remedies", &|remedy| text(&remedy["command"]));
    commands.retain(|command| !command.is_empty());
    Finding {
        rule: text(&value["name"]),
        severity: text(&value["severity"]),
        headline: text(&value["headline"]),
        files: list("files", &text),
        packages: list("packages", &|package| text(&package["name"])),
        commands,
    }
}

/// A command that goes through the environment's shell lines; what is to run is given as its arguments.
fn around(environment: &Environment, place: &Place, further: &str) -> Command {
    let script = format!("{}\n{further}\nexec \"$@\"", environment.around);
    let mut shell = Command::new("sh");
    shell.args(["-euc", &script, "sh"]);
    for name in CLEARED {
        shell.env_remove(name);
    }
    shell.envs(place.variables.iter().map(|(name, path)| (name, path)));
    shell
}

/// In words: the signal's name, or the exit status.
fn ending(status: ExitStatus) -> String {
    let code = command::shell_status(status);
    match Signal::try_from(code - 128) {
        Ok(signal) if code > 128 => signal.as_str().to_owned(),
        _ => format!("exit {code}"),
    }
}
