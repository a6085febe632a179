//! What a check of files costs, beside TensorFlow and other tools that read the same files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::Tools;
use super::measure::{Usage, measure, median};
use super::scenarios::{Table, row, seconds, words};
use crate::{command, python, workspace};

/// A kind of files, and who reads them beside crashlens.
const KINDS: [(&str, &str, &[&str]); 5] = [
    (
        "tfrecord",
        "data",
        &["tensorflow_records", "tfrecord_package"],
    ),
    (
        "jpeg",
        "data",
        &["tensorflow_images", "pillow_verify", "pillow_load"],
    ),
    (
        "jpeg-progressive",
        "data",
        &["tensorflow_images", "pillow_load"],
    ),
    (
        "png",
        "data",
        &["tensorflow_images", "pillow_verify", "pillow_load"],
    ),
    ("checkpoint", "model", &["tensorflow_checkpoint"]),
];

pub fn table(tools: &Tools) -> Result<Table> {
    let place = tempfile::tempdir()?;
    let programs = workspace::root().join("benches/programs");
    let files = place.path().join("files");
    command::succeed(
        std::process::Command::new(&tools.python)
            .arg(programs.join("make_files.py"))
            .arg(&files)
            .env("TF_CPP_MIN_LOG_LEVEL", "3"),
    )?;
    let peers = peers()?;
    let mut rows = Vec::new();
    for (kind, subject, readers) in KINDS {
        let folder = files.join(kind);
        let gigabytes = bytes_of(&folder)? as f64 / 1e9;
        for (what, options) in [
            ("crashlens, 1 thread", ["--jobs", "1"].as_slice()),
            ("crashlens, 2 threads", &["--jobs", "2"]),
            ("crashlens --full, 1 thread", &["--jobs", "1", "--full"]),
        ] {
            let mut line = words(&[&tools.crashlens, &"check", &subject, &folder]);
            line.extend(options.iter().map(Into::into));
            line.extend(["--format", "jsonl", "--fail-on", "never"].map(Into::into));
            let usages = rounds(tools, || measure(place.path(), &line, &[]))?;
            rows.push(figures(kind, what, gigabytes, &usages, None));
        }
        for reader in readers {
            let interpreter = if reader.starts_with("tensorflow") {
                &tools.python
            } else {
                &peers
            };
            let program = programs.join("read_files.py");
            let line = words(&[interpreter, &program, reader, &folder]);
            let usages = rounds(tools, || measure(place.path(), &line, &[]))?;
            let own = usages
                .iter()
                .filter_map(|usage| usage.output.trim().parse().ok());
            rows.push(figures(
                kind,
                &reader.replace('_', " "),
                gigabytes,
                &usages,
                Some(own.collect()),
            ));
        }
    }
    Ok(Table {
        title: "Check of files".to_owned(),
        heading: row(&[
            "files",
            "tool",
            "CPU s/GB",
            "elapsed s",
            "peak MiB",
            "rounds",
        ]),
        rows,
    })
}

fn rounds(tools: &Tools, run: impl Fn() -> Result<Usage>) -> Result<Vec<Usage>> {
    (0..tools.rounds).map(|_| run()).collect()
}

/// `own` are the CPU seconds without the import, where the program counts them itself.
fn figures(
    kind: &str,
    what: &str,
    gigabytes: f64,
    usages: &[Usage],
    own: Option<Vec<f64>>,
) -> Vec<String> {
    let cpu = own.unwrap_or_else(|| usages.iter().map(|usage| usage.cpu_seconds).collect());
    let elapsed = median(usages.iter().map(|usage| usage.elapsed_seconds).collect());
    let peak = usages
        .iter()
        .map(|usage| usage.peak_kib)
        .max()
        .unwrap_or_default();
    row(&[
        &format!("{kind}, {:.0} MB", gigabytes * 1000.0),
        what,
        &seconds(median(cpu).map(|cpu| cpu / gigabytes)),
        &seconds(elapsed),
        &(peak / 1024).to_string(),
        &usages.len().to_string(),
    ])
}

fn bytes_of(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs_err::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// The interpreter with the peers that read files.
fn peers() -> Result<PathBuf> {
    let interpreter = python::of_series((3, 11)).context("there is no Python 3.11")?;
    let packages = ["pillow==10.3.0", "tfrecord==1.14.6"].map(str::to_owned);
    python::environment(
        "venv-file-peers",
        &interpreter,
        &BTreeSet::from(packages),
        None,
    )
}
