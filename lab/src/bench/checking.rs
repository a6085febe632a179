//! What a check of an environment costs, beside what people do in its place.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Tools;
use super::measure::{Usage, measure, median};
use super::scenarios::{Table, row, seconds, words};
use crate::workspace;

pub fn table(tools: &Tools) -> Result<Table> {
    let place = tempfile::tempdir()?;
    let cache = place.path().join("cache");
    let environment = tools
        .python
        .parent()
        .and_then(Path::parent)
        .context("the interpreter is in no environment")?;
    let check = words(&[
        &tools.crashlens,
        &"check",
        &"--format",
        &"json",
        &"--python",
        &environment,
    ]);
    let imports = words(&[&tools.python, &"-c", &"import tensorflow"]);
    let pip = words(&[
        &tools.python,
        &"-m",
        &"pip",
        &"check",
        &"--disable-pip-version-check",
    ]);
    let cache_folder = cache.to_string_lossy().into_owned();
    let variables = [("XDG_CACHE_HOME", cache_folder.as_str())];
    let mut runs: [(&str, &str, Vec<Usage>); 6] = [
        ("crashlens check, first time", "0,1", vec![]),
        ("crashlens check, again", "0,1", vec![]),
        ("crashlens check, first time", "0", vec![]),
        ("crashlens check, again", "0", vec![]),
        ("pip check", "0,1", vec![]),
        ("import tensorflow", "0,1", vec![]),
    ];
    for _ in 0..tools.rounds {
        for (what, cores, usages) in &mut runs {
            if what.ends_with("first time") && cache.exists() {
                fs_err::remove_dir_all(&cache)?;
            }
            let command = match *what {
                "pip check" => &pip,
                "import tensorflow" => &imports,
                _ => &check,
            };
            usages.push(measure(place.path(), &on(cores, command), &variables)?);
        }
    }
    let (packages, files) = looked_at(&runs[0].2)?;
    for (what, cores, usages) in &runs {
        println!("{what} on {cores}: {}", all(usages));
    }
    Ok(Table {
        title: "Check of a TensorFlow environment".to_owned(),
        heading: row(&["what", "cores", "CPU s", "elapsed s", "peak MiB", "rounds"]),
        rows: runs
            .iter()
            .map(|(what, cores, usages)| figures(what, cores, usages))
            .chain([row(&[
                &format!("({packages} packages, {files} native files)"),
                "",
                "",
                "",
                "",
                "",
            ])])
            .collect(),
    })
}

/// The command on these cores alone.
fn on(cores: &str, command: &[OsString]) -> Vec<OsString> {
    match workspace::find_program("taskset") {
        Some(taskset) => {
            let mut line = words(&[&taskset, &"-c", &cores]);
            line.extend(command.iter().cloned());
            line
        }
        None => command.to_vec(),
    }
}

fn figures(what: &str, cores: &str, usages: &[Usage]) -> Vec<String> {
    let of = |field: fn(&Usage) -> f64| median(usages.iter().map(field).collect());
    let peak = usages.iter().map(|usage| usage.peak_kib).max();
    row(&[
        what,
        &cores.split(',').count().to_string(),
        &seconds(of(|usage| usage.cpu_seconds)),
        &seconds(of(|usage| usage.elapsed_seconds)),
        &(peak.unwrap_or_default() / 1024).to_string(),
        &usages.len().to_string(),
    ])
}

fn all(usages: &[Usage]) -> String {
    let figures: Vec<_> = usages
        .iter()
        .map(|usage| format!("{:.2} s", usage.cpu_seconds))
        .collect();
    figures.join(", ")
}

/// How much there was to check, as the first report says.
fn looked_at(usages: &[Usage]) -> Result<(u64, u64)> {
    let usage = usages.first().context("nothing was run")?;
    ensure!(
        usage.exit_code < 2,
        "the check ended with {}",
        usage.exit_code
    );
    let report: Value = serde_json::from_str(&usage.output).context("the report is no JSON")?;
    let amounts = report.pointer("/inspections/0/looked_at");
    let amounts = amounts.and_then(Value::as_array).map(Vec::as_slice);
    let count = |what: &str| {
        let mut amounts = amounts.unwrap_or_default().iter();
        let amount = amounts.find(|amount| amount["what"] == what);
        amount
            .and_then(|amount| amount["count"].as_u64())
            .unwrap_or(0)
    };
    Ok((count("packages"), count("native files")))
}
