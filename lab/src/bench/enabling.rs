//! What `crashlens.enable()` costs a program.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Tools;
use super::measure::{Usage, measure, median};
use super::scenarios::{Table, program, row, words};
use crate::{command, workspace};

/// A watched program's own figures, from `benches/programs/enabled.py`.
#[derive(Debug, Deserialize)]
struct Figures {
    seconds: f64,
    #[serde(default)]
    enable_seconds: f64,
    #[serde(default)]
    helper_cpu_seconds: f64,
    #[serde(default)]
    helper_peak_kib: f64,
}

/// Programs that make this number of something, one after another.
const EVENTS: [(&str, u32, &str); 2] = [
    ("fork and wait", 2000, "forks.py"),
    ("thread start and join", 2000, "threads.py"),
];
const LINE_ROUNDS: u32 = 20_000;

pub fn table(tools: &Tools) -> Result<Table> {
    let mut rows = Vec::new();
    rows.extend(with_tensorflow(tools)?);
    rows.push(fit(tools)?);
    for event in EVENTS {
        rows.push(per_event(tools, event)?);
    }
    rows.push(unset(tools)?);
    Ok(Table {
        title: "crashlens.enable()".to_owned(),
        heading: row(&["what", "alone", "watched", "rounds"]),
        rows,
    })
}

/// How long it takes with all of TensorFlow loaded, and how large the helper is.
fn with_tensorflow(tools: &Tools) -> Result<[Vec<String>; 2]> {
    let (mut times, mut sizes) = (Vec::new(), Vec::new());
    for _ in 0..tools.rounds {
        let (figures, _) = run(tools, "after", &words(&[&program("import_tensorflow.py")]))?;
        times.push(figures.enable_seconds * 1e3);
        sizes.push(figures.helper_peak_kib / 1024.0);
    }
    let cells = |what, values| line(tools, what, None, median(values), 1);
    Ok([
        cells("`enable()` with TensorFlow loaded, elapsed ms", times),
        cells("memory of the helper, peak MiB", sizes),
    ])
}

/// CPU time of a training run and its helper over that of the run alone.
fn fit(tools: &Tools) -> Result<Vec<String>> {
    let script = words(&[&program("keras_fit.py")]);
    let mut ratios = Vec::new();
    for round in 0..tools.rounds {
        let (_, alone) = run(tools, "alone", &script)?;
        let (figures, watched) = run(tools, "before", &script)?;
        let watched = watched.cpu_seconds + figures.helper_cpu_seconds;
        println!(
            "round {round}: {watched:.2} s, alone {:.2} s",
            alone.cpu_seconds
        );
        ratios.push(watched / alone.cpu_seconds);
    }
    let what = "Keras fit, ratio of CPU time with the helper's";
    Ok(line(tools, what, Some(1.0), median(ratios), 3))
}

fn per_event(tools: &Tools, (what, number, name): (&str, u32, &str)) -> Result<Vec<String>> {
    let script = words(&[&program(name), &number.to_string()]);
    let times = |how| -> Result<Option<f64>> {
        let runs = (0..tools.rounds).map(|_| run(tools, how, &script));
        let each = runs.map(|it| Ok(it?.0.seconds * 1e6 / f64::from(number)));
        Ok(median(each.collect::<Result<_>>()?))
    };
    let what = format!("{what}, elapsed µs");
    Ok(line(tools, &what, times("alone")?, times("before")?, 0))
}

/// What the package adds to the start of an interpreter that is not to be watched: one line.
fn unset(tools: &Tools) -> Result<Vec<String>> {
    let program = format!(
        "import os, sys, timeit; line = open(sys.argv[1]).read(); os.environ.pop('CRASHLENS', None); \
        print(timeit.timeit(lambda: exec(line), number={LINE_ROUNDS}) / {LINE_ROUNDS} * 1e6)"
    );
    let mut times = Vec::new();
    for _ in 0..tools.rounds {
        let mut python = Command::new(&tools.python);
        python.args(["-c", &program]);
        python.arg(workspace::root().join("python/crashlens.pth"));
        times.push(command::output(&mut python)?.trim().parse::<f64>()?);
    }
    let what = "`crashlens.pth` without `CRASHLENS`, elapsed µs";
    Ok(line(tools, what, None, median(times), 0))
}

fn line(
    tools: &Tools,
    what: &str,
    alone: Option<f64>,
    watched: Option<f64>,
    digits: usize,
) -> Vec<String> {
    let figure = |value: Option<f64>| value.map_or(String::new(), |it| format!("{it:.digits$}"));
    row(&[
        what,
        &figure(alone),
        &figure(watched),
        &tools.rounds.to_string(),
    ])
}

fn run(tools: &Tools, how: &str, script: &[OsString]) -> Result<(Figures, Usage)> {
    let place = tempfile::tempdir()?;
    let mut line = words(&[&tools.python, &program("enabled.py"), &how]);
    line.extend(script.iter().cloned());
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let package = path(&workspace::root().join("python"));
    let binary = path(&std::path::absolute(&tools.crashlens)?);
    let variables = [("PYTHONPATH", &*package), ("CRASHLENS_BINARY", &*binary)];
    let usage = measure(place.path(), &line, &variables)?;
    ensure!(usage.exit_code == 0, "{script:?} {how} failed");
    let last = usage
        .output
        .lines()
        .last()
        .context("it printed no figures")?;
    Ok((serde_json::from_str(last)?, usage))
}
