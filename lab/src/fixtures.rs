//! `cargo lab fixtures`: makes readable test captures of saved ones.
//!
//! What rules are tested with is committed as JSON that a person can read and compare: without the address space, without
//! the recording, without what is the same in every process, and without the places of the machine it was made on.

mod places;
pub mod readable;
mod slim;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use crashlens_core::{CaptureFile, CrashCapture};
use serde_json::Value;

use crate::corpus::Case;
use xtask::machine_paths;

use crate::workspace;

/// Where they are kept.
const FOLDER: &str = "crates/crashlens-core/fixtures/captures";
/// The saved capture in the folder of a case.
const CAPTURE: &str = "death.crashlens";

#[derive(clap::Args)]
pub struct Options {
    /// A folder of cases as `cargo lab corpus --keep` leaves it: CASE/death.crashlens
    #[arg(value_name = "FOLDER")]
    kept: PathBuf,
    /// Take only this case; may be given several times
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,
}

pub fn run(options: &Options) -> Result<()> {
    let target = workspace::root().join(FOLDER);
    fs_err::create_dir_all(&target)?;
    let mut total = 0;
    let mut cases: Vec<_> = fs_err::read_dir(&options.kept)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    cases.sort();
    for case in cases {
        let name = case.file_name().unwrap_or_default().to_string_lossy();
        let saved = case.join(CAPTURE);
        let is_wanted = options.cases.is_empty() || options.cases.iter().any(|one| *one == name);
        if !is_wanted || !saved.is_file() {
            continue;
        }
        let (file, text) =
            fixture(&name, &saved).with_context(|| format!("cannot use {}", saved.display()))?;
        println!("{:>7}  {file}", text.len());
        total += text.len();
        fs_err::write(target.join(file), text)?;
    }
    println!("{total:>7}  in all");
    fs_err::write(target.join("labels.csv"), labels(&target)?)?;
    Ok(())
}

/// The causes that count as right for each capture, so that tests need no other folder. A capture that is of no case
/// keeps the label that it has.
fn labels(captures: &Path) -> Result<String> {
    let before = fs_err::read_to_string(captures.join("labels.csv")).unwrap_or_default();
    let label = |name: &str| {
        let mut labels = before.lines().filter_map(|line| line.split_once(','));
        let accept = labels.find(|(capture, _)| *capture == name)?.1;
        Some(accept.to_owned())
    };
    let mut lines = BTreeSet::new();
    for entry in fs_err::read_dir(captures)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let accept = match accepted(&name) {
                Ok(accept) => accept.join(" "),
                Err(error) => label(&name)
                    .ok_or(error)
                    .with_context(|| format!("{name} is of no case and has no label"))?,
            };
            lines.insert(format!("{name},{accept}\n"));
        }
    }
    Ok(format!(
        "capture,accept\n{}",
        Vec::from_iter(lines).concat()
    ))
}

/// From the truth of the case that a capture is named after; the version of TensorFlow stands behind its name.
fn accepted(name: &str) -> Result<Vec<String>> {
    let is_version = |word: &str| word.split('.').all(|part| part.parse::<u32>().is_ok());
    let (case, version) = name
        .rsplit_once('-')
        .filter(|(_, version)| is_version(version))
        .unwrap_or((name, ""));
    let corpus = workspace::root().join("corpus");
    let folders = ["", "near", "installs"].map(|set| corpus.join(set).join(case));
    let folder = folders
        .iter()
        .find(|folder| folder.join("case.json").is_file())
        .context("there is no such folder")?;
    Ok(Case::read(folder)?.accept_on(version).to_vec())
}

/// Name and content of the fixture of one saved capture.
fn fixture(case: &str, saved: &Path) -> Result<(String, String)> {
    let capture = CaptureFile::read(&fs_err::read(saved)?)?.capture;
    let version =
        tensorflow_version(&capture).map_or(String::new(), |version| format!("-{version}"));
    let places = places::of(&capture);
    let slim = slim::slim(capture);
    let mut text = serde_json::to_string(&slim)?;
    for (from, to) in &places {
        text = text.replace(from, to);
    }
    let told: CrashCapture = serde_json::from_str(&text)?;
    let text = readable::readable(&without_empty(serde_json::from_str(&text)?));
    if let Some(fault) = machine_paths::find(Path::new(case), &text) {
        bail!("{fault}");
    }
    ensure!(
        serde_json::from_str::<CrashCapture>(&text)? == told,
        "it is read as something else than was written"
    );
    Ok((format!("{case}{version}.json"), text))
}

/// Leaves out the fields that are read as the same when they are missing.
fn without_empty(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(name, value)| !value.is_null() && (name != "inlined" || *value != false))
            .map(|(name, value)| (name, without_empty(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_empty).collect(),
        other => other,
    }
}

fn tensorflow_version(capture: &CrashCapture) -> Option<&str> {
    let packages = capture.environment.packages.known().into_iter().flatten();
    let modules = capture.modules.known().into_iter().flatten();
    packages
        .chain(modules.filter_map(|module| module.package.as_ref()))
        .find(|package| package.name.starts_with("tensorflow") && !package.name.contains("-io"))
        .map(|package| package.version.as_str())
}
