//! Runs one case: build, supervise, replay.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::signal::Signal;
use serde_json::Value;

use super::case::{Case, Expected};
use super::causes::Verdict;
use super::committed::Run;
use super::compare::{Observed, compare};
use super::knowledge::Facts;
use super::score::Row;
use super::{Options, copy_folder};
use crate::command::{self, Ended};

/// Where the capture is saved. Further deaths of the same run get further endings.
const CAPTURE: &str = "death.crashlens";
/// A program that hangs by design has shown so by then.
const HANG_LIMIT: Duration = Duration::from_mins(1);
/// The slowest case takes about 40 seconds on two busy cores.
const LIMIT: Duration = Duration::from_mins(5);

pub fn run_case(
    folder: &Path,
    case: &Case,
    options: &Options,
    python: &Path,
    crashlens: &Path,
) -> Result<Run> {
    if let Some(reason) = case.obstacle() {
        return Ok(Run {
            row: Row::skipped(case, &reason),
            ending: "nothing".to_owned(),
            facts: None,
            verdict: None,
            unfounded: None,
        });
    }
    let scratch = tempfile::Builder::new().prefix("corpus-").tempdir()?;
    let place = prepare(folder, case, python, scratch.path())?;
    let observed = observe(case, options, python, crashlens, &place)?;
    if let Some(keep) = &options.keep {
        let kept = keep.join(&case.id);
        if kept.is_dir() {
            fs_err::remove_dir_all(&kept)?;
        }
        copy_folder(&place, &kept)?;
    }
    let expected = case.expected(&options.tensorflow);
    let row = compare(case, &expected, &options.tensorflow, &observed);
    let is_death = |one: &Expected| matches!(one, Expected::Death { .. });
    // A case that may also end well has no wrong cause when it does.
    let may_live = !expected.iter().all(is_death);
    let death = dead(case, &observed).filter(|_| expected.iter().any(is_death));
    let facts = death.map(|death| Facts::of(case, death, &options.tensorflow));
    let verdict = Verdict::of(case, &options.tensorflow, death)
        .filter(|_| expected.iter().any(is_death) && (death.is_some() || !may_live));
    let signal = death.and_then(|death| death.pointer("/ending/signal")?.as_str());
    let is_control = !expected.iter().any(is_death);
    Ok(Run {
        row,
        ending: signal.map_or_else(|| spelled(observed.exit_code), str::to_owned),
        facts,
        verdict,
        unfounded: dead(case, &observed)
            .filter(|_| is_control)
            .and_then(certain_cause),
    })
}

/// The cause named first, where it is called certain. That we ended a program that hangs is true.
fn certain_cause(death: &Value) -> Option<String> {
    let first = death.pointer("/diagnosis/findings/0")?;
    let is_ours = death.pointer("/ending/signal")? == "SIGTERM";
    let is_certain = first["confidence"] == "certain" && !is_ours;
    is_certain.then(|| first["cause"].as_str().unwrap_or("-").to_owned())
}

/// How the program of a case ends by itself, without crashlens.
pub fn bare_ending(folder: &Path, case: &Case, python: &Path) -> Result<String> {
    let scratch = tempfile::Builder::new().prefix("corpus-").tempdir()?;
    let place = prepare(folder, case, python, scratch.path())?;
    let program = program(&place, python);
    let mut run = Command::new(&program[0]);
    run.args(&program[1..]);
    surround(&mut run, &place)?;
    Ok(match command::run_for(&mut run, LIMIT)? {
        Ended::Within(status) => spelled(Some(command::shell_status(status))),
        Ended::Stopped => spelled(None),
    })
}

/// An exit status in the words of `outcome_by_tensorflow`.
fn spelled(exit_code: Option<i32>) -> String {
    let Some(code) = exit_code else {
        return "TIMEOUT".to_owned();
    };
    match Signal::try_from(code - 128) {
        Ok(signal) if code > 128 => signal.as_str().to_owned(),
        _ => format!("exit{code}"),
    }
}

/// A fresh copy of the case, with its operator compiled.
fn prepare(folder: &Path, case: &Case, python: &Path, scratch: &Path) -> Result<PathBuf> {
    let place = scratch.join(&case.id);
    copy_folder(folder, &place)?;
    if let Some(build) = &case.build {
        command::succeed(
            Command::new("bash")
                .args(["-c", build])
                .env("PYTHON", python)
                .current_dir(&place),
        )
        .with_context(|| format!("cannot build the operator of {}", case.id))?;
    }
    Ok(place)
}

/// The words that start a case's program.
fn program(place: &Path, python: &Path) -> Vec<OsString> {
    if place.join("repro.sh").is_file() {
        vec!["bash".into(), "repro.sh".into(), python.into()]
    } else {
        vec![python.into(), "repro.py".into()]
    }
}

/// Where a program runs, and where its output goes.
fn surround(run: &mut Command, place: &Path) -> Result<()> {
    run.current_dir(place)
        .env("TF_CPP_MIN_LOG_LEVEL", "2")
        .stdin(Stdio::null())
        .stdout(fs_err::File::create(place.join("stdout.txt"))?.into_file())
        .stderr(fs_err::File::create(place.join("stderr.txt"))?.into_file());
    Ok(())
}

/// What is said today of the capture that an earlier run kept; `None` where the case did not die then.
pub fn judge_kept(
    case: &Case,
    options: &Options,
    crashlens: &Path,
    kept: &Path,
) -> Result<Option<Verdict>> {
    let place = kept.join(&case.id);
    if !place.is_dir() {
        return Ok(None);
    }
    let deaths = replay(crashlens, &place)?;
    let death = about(case, &deaths);
    Ok(death.and_then(|death| Verdict::of(case, &options.tensorflow, Some(death))))
}

/// The death that the case is about: that by its signal, where there are several.
fn dead<'a>(case: &Case, observed: &'a Observed) -> Option<&'a Value> {
    about(
        case,
        observed.report.as_ref()?.pointer("/deaths")?.as_array()?,
    )
}

fn about<'a>(case: &Case, deaths: &'a [Value]) -> Option<&'a Value> {
    let by_signal = |death: &&Value| {
        death.pointer("/ending/signal").and_then(Value::as_str) == case.signal.as_deref()
    };
    deaths.iter().find(by_signal).or(deaths.first())
}

fn observe(
    case: &Case,
    options: &Options,
    python: &Path,
    crashlens: &Path,
    place: &Path,
) -> Result<Observed> {
    let hangs = case.expected(&options.tensorflow).contains(&Expected::Hang);
    let mut run = Command::new(crashlens);
    run.args([
        "run",
        "--format",
        "json",
        "--output",
        "report.json",
        "--save",
        CAPTURE,
    ]);
    if options.without_stderr {
        run.arg("--no-tail");
    }
    run.arg("--").args(program(place, python));
    surround(&mut run, place)?;
    let exit_code = match command::run_for(&mut run, if hangs { HANG_LIMIT } else { LIMIT })? {
        Ended::Within(status) => Some(command::shell_status(status)),
        Ended::Stopped => None,
    };
    Ok(Observed {
        exit_code,
        report: read_json(&place.join("report.json")),
        replayed: replay(crashlens, place)?,
    })
}

/// The deaths that `diagnose` finds in the saved captures; there is one file for each death.
fn replay(crashlens: &Path, place: &Path) -> Result<Vec<Value>> {
    let mut deaths = Vec::new();
    for entry in fs_err::read_dir(place)? {
        let name = entry?.file_name();
        if !name.to_string_lossy().starts_with(CAPTURE) {
            continue;
        }
        let mut diagnose = Command::new(crashlens);
        diagnose
            .args(["diagnose", "--format", "json"])
            .arg(&name)
            .current_dir(place);
        let output = diagnose
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()?;
        let report = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
        deaths.extend(
            report
                .pointer("/deaths")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default(),
        );
    }
    Ok(deaths)
}

fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_str(&fs_err::read_to_string(path).ok()?).ok()
}
