//! What is measured.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use super::Tools;
use super::measure::{Usage, measure, median};
use crate::workspace;

/// Figures of one scenario, ready to be printed.
pub struct Table {
    pub title: String,
    pub heading: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

type Scenario = fn(&Tools) -> Result<Table>;

pub const ALL: [(&str, Scenario); 9] = [
    ("fit", |tools| {
        healthy(tools, "Healthy Keras fit", "keras_fit.py")
    }),
    ("import", |tools| {
        healthy(tools, "import tensorflow", "import_tensorflow.py")
    }),
    ("enable", super::enabling::table),
    ("events", super::events::table),
    ("death", death),
    ("core", core),
    ("threads", threads),
    ("check", super::checking::table),
    ("files", super::reading::table),
];

/// gdb takes so long that two rounds have to do.
const GDB_ROUNDS: usize = 2;
const DEATH_ROUNDS: usize = 3;

pub fn words(parts: &[&dyn AsRef<std::ffi::OsStr>]) -> Vec<OsString> {
    parts.iter().map(|part| part.as_ref().to_owned()).collect()
}

pub fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

pub fn program(name: &str) -> PathBuf {
    workspace::root().join("benches/programs").join(name)
}

/// CPU time of a program that ends well, with each tool, over the bare CPU time of the same round.
fn healthy(tools: &Tools, title: &str, name: &str) -> Result<Table> {
    let place = tempfile::tempdir()?;
    let command = words(&[&tools.python, &program(name)]);
    let mut under_crashlens = words(&[&tools.crashlens, &"run", &"--no-save", &"--"]);
    under_crashlens.extend(command.clone());
    let mut bare_seconds = Vec::new();
    let mut ratios: [(&str, Vec<f64>); 3] = [
        ("crashlens", vec![]),
        ("faulthandler", vec![]),
        ("gdb", vec![]),
    ];
    for round in 0..tools.rounds {
        let alone = measure(place.path(), &command, &[])?;
        bare_seconds.push(alone.cpu_seconds);
        for (tool, ratios) in &mut ratios {
            let usage = match (*tool, &tools.gdb) {
                ("crashlens", _) => measure(place.path(), &under_crashlens, &[])?,
                ("faulthandler", _) => {
                    measure(place.path(), &command, &[("PYTHONFAULTHANDLER", "1")])?
                }
                (_, Some(gdb)) if round < GDB_ROUNDS => {
                    measure(place.path(), &under_gdb(gdb, &command, &[]), &[])?
                }
                _ => continue,
            };
            println!(
                "round {round}: {tool} {:.2} s, bare {:.2} s",
                usage.cpu_seconds, alone.cpu_seconds
            );
            ratios.push(usage.cpu_seconds / alone.cpu_seconds);
        }
    }
    let mut rows = vec![row(&[
        "bare",
        &seconds(median(bare_seconds)),
        "1",
        &tools.rounds.to_string(),
    ])];
    for (tool, ratios) in ratios {
        let rounds = ratios.len().to_string();
        rows.push(row(&[
            tool,
            "",
            &median(ratios).map_or("–".to_owned(), |ratio| format!("{ratio:.3}")),
            &rounds,
        ]));
    }
    Ok(Table {
        title: title.to_owned(),
        heading: row(&["tool", "CPU s", "CPU ratio", "rounds"]),
        rows,
    })
}

fn under_gdb(gdb: &Path, program: &[OsString], then: &[&str]) -> Vec<OsString> {
    let mut line = words(&[
        &gdb,
        &"-nx",
        &"-batch",
        &"-ex",
        &"set debuginfod enabled off",
        &"-ex",
        &"run",
    ]);
    for command in then {
        line.extend(words(&[&"-ex", command]));
    }
    line.push("--args".into());
    line.extend(program.iter().cloned());
    line
}

/// A process with a gigabyte in use dies under supervision.
fn death(tools: &Tools) -> Result<Table> {
    let place = tempfile::tempdir()?;
    let command = words(&[&tools.python, &program("die_large.py"), &"1"]);
    let (mut own, mut sizes, mut alone, mut gdb_total) = (vec![], vec![], vec![], vec![]);
    for round in 0..DEATH_ROUNDS {
        alone.push(measure(place.path(), &command, &[])?.cpu_seconds);
        let report = supervised_death(tools, place.path(), &command)?;
        own.extend(
            report
                .pointer("/run/own_cpu_seconds")
                .and_then(Value::as_f64),
        );
        sizes.push(fs_err::metadata(place.path().join("death.crashlens"))?.len() as f64);
        if let Some(gdb) = tools.gdb.as_ref().filter(|_| round < GDB_ROUNDS) {
            gdb_total.push(
                measure(
                    place.path(),
                    &under_gdb(gdb, &command, &["thread apply all bt"]),
                    &[],
                )?
                .cpu_seconds,
            );
        }
    }
    let alone = median(alone).unwrap_or_default();
    let size = median(sizes).map_or("–".to_owned(), |bytes| {
        format!("{:.0} KiB", bytes / 1024.0)
    });
    let rows = vec![
        row(&["crashlens", &milliseconds(median(own)), &size]),
        row(&[
            "gdb",
            &milliseconds(median(gdb_total).map(|total| total - alone)),
            "nothing saved",
        ]),
    ];
    Ok(Table {
        title: "Death of a 1 GiB TensorFlow process".to_owned(),
        heading: row(&["tool", "own CPU ms", "artefact"]),
        rows,
    })
}

fn supervised_death(tools: &Tools, place: &Path, bare: &[OsString]) -> Result<Value> {
    let mut line = words(&[
        &tools.crashlens,
        &"run",
        &"--format",
        &"json",
        &"--output",
        &"report.json",
    ]);
    line.extend(words(&[&"--save", &"death.crashlens", &"--"]));
    line.extend(bare.iter().cloned());
    let usage = measure(place, &line, &[])?;
    anyhow::ensure!(
        usage.exit_code == 139,
        "the program ended with {} instead of 139",
        usage.exit_code
    );
    serde_json::from_str(&fs_err::read_to_string(place.join("report.json"))?)
        .context("the report is no JSON")
}

/// A core of three gigabytes, read by everyone who reads cores.
fn core(tools: &Tools) -> Result<Table> {
    let place = tempfile::Builder::new()
        .prefix("core-")
        .tempdir_in(workspace::scratch()?)?;
    let core = make_core(tools, place.path())?;
    let size = fs_err::metadata(&core)?.len() as f64 / f64::from(1 << 30);
    let mut readers = vec![(
        "crashlens",
        words(&[&tools.crashlens, &"diagnose", &"--verbose", &core]),
    )];
    if let Some(pystack) = &tools.pystack {
        readers.push((
            "pystack",
            words(&[pystack, &"core", &core, &tools.python, &"--native-all"]),
        ));
    }
    if let Some(py_spy) = &tools.py_spy {
        readers.push(("py-spy", words(&[py_spy, &"dump", &"--core", &core])));
    }
    if let Some(gdb) = &tools.gdb {
        let commands = [
            "-nx",
            "-batch",
            "-ex",
            "set debuginfod enabled off",
            "-ex",
            "thread apply all bt",
        ];
        let mut line = words(&[gdb]);
        line.extend(commands.map(OsString::from));
        line.extend(words(&[&tools.python, &core]));
        readers.push(("gdb", line));
    }
    let mut rows = Vec::new();
    for (tool, line) in readers {
        let mut runs = Vec::new();
        for _ in 0..if tool == "gdb" { 1 } else { DEATH_ROUNDS } {
            runs.push(measure(place.path(), &line, &[])?);
        }
        rows.push(core_row(tool, &runs));
        if let Some(row) = rows.last() {
            println!("{}", row.join(", "));
        }
    }
    Ok(Table {
        title: format!("Core file of {size:.1} GiB to stacks of all threads"),
        heading: row(&["tool", "CPU s", "peak MiB", "opens"]),
        rows,
    })
}

fn core_row(tool: &str, runs: &[Usage]) -> Vec<String> {
    let cpu = median(runs.iter().map(|run| run.cpu_seconds).collect());
    let peak = runs
        .iter()
        .map(|run| run.peak_kib / 1024)
        .max()
        .unwrap_or_default()
        .to_string();
    // The program's own function, or the C function that read through the null pointer.
    let names = ["read_record", "string_at"];
    let opens = runs
        .iter()
        .all(|run| run.exit_code == 0 && names.iter().any(|name| run.output.contains(name)));
    row(&[tool, &seconds(cpu), &peak, if opens { "yes" } else { "no" }])
}

fn make_core(tools: &Tools, place: &Path) -> Result<PathBuf> {
    let mut run = Command::new("bash");
    run.args(["-c", "ulimit -c unlimited && exec \"$@\"", "bash"])
        .arg(&tools.python)
        .arg(program("die_large.py"))
        .arg("3")
        .current_dir(place)
        .env("TF_CPP_MIN_LOG_LEVEL", "2")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    run.status()?;
    for entry in fs_err::read_dir(place)? {
        let path = entry?.path();
        if path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("core"))
        {
            return Ok(path);
        }
    }
    // The machine's core_pattern sends cores elsewhere; gdb can write one at the fatal signal.
    let gdb = tools
        .gdb
        .as_ref()
        .context("this machine writes no core files, and gdb is missing")?;
    let path = place.join("core.gdb");
    let save = format!("generate-core-file {}", path.display());
    let line = words(&[&tools.python, &program("die_large.py"), &"3"]);
    measure(place, &under_gdb(gdb, &line, &[&save]), &[])?;
    anyhow::ensure!(path.is_file(), "gdb wrote no core file");
    Ok(path)
}

/// A death beside 401 other threads.
fn threads(tools: &Tools) -> Result<Table> {
    let place = tempfile::tempdir()?;
    let bare = words(&[&tools.python, &program("many_threads.py"), &"401"]);
    let report = supervised_death(tools, place.path(), &bare)?;
    let threads = report
        .pointer("/deaths/0/threads")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let folded = |thread: &Value| {
        1 + thread
            .get("also")
            .and_then(Value::as_array)
            .map_or(0, Vec::len)
    };
    let captured: usize = threads.iter().map(folded).sum();
    let own = report
        .pointer("/run/own_cpu_seconds")
        .and_then(Value::as_f64);
    let size = fs_err::metadata(place.path().join("death.crashlens"))?.len() / 1024;
    Ok(Table {
        title: "Death of a process with 402 threads".to_owned(),
        heading: row(&["tool", "threads captured", "own CPU ms", "artefact"]),
        rows: vec![row(&[
            "crashlens",
            &captured.to_string(),
            &milliseconds(own),
            &format!("{size} KiB"),
        ])],
    })
}

pub fn seconds(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.2}"))
}

fn milliseconds(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{:.0}", value * 1000.0))
}
