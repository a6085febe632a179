//! `cargo lab record`: one recorded death per interpreter on this machine, for tests that run without any.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Result, ensure};
use crashlens_core::CaptureFile;

use crate::command::{self, Ended};
use crate::python::{self, Interpreter};
use crate::{newer_python, workspace};

const FIXTURES: &str = "crates/crashlens-unwind/fixtures";
/// SIGSEGV, as a shell has it.
const DIED: i32 = 139;
/// What stands for the folders of whoever records; longer names are filled up.
const NOBODY: &str = "/home";

#[derive(clap::Args)]
pub struct Options {
    /// Record only these, such as `python-3.8`
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Use this crashlens instead of building one
    #[arg(long, value_name = "PATH")]
    crashlens: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<()> {
    let crashlens = workspace::crashlens(options.crashlens.as_deref())?;
    let folder = workspace::root().join(FIXTURES).join("snapshots");
    fs_err::create_dir_all(&folder)?;
    let mut recorded = 0;
    let newer = newer_python::fetch()
        .inspect_err(|error| println!("without a newer Python: {error:#}"))
        .ok();
    let newer = newer.and_then(|path| python::probe(&path));
    for interpreter in python::interpreters().into_iter().chain(newer) {
        let name = name(&interpreter);
        if options.names.is_empty() || options.names.contains(&name) {
            let size = record(
                &crashlens,
                &interpreter,
                &folder.join(format!("{name}.crashlens")),
            )?;
            println!(
                "{name}: {} KiB, from {}",
                size / 1024,
                interpreter.path.display()
            );
            recorded += 1;
        }
    }
    ensure!(
        recorded > 0,
        "no interpreter of that name is on this machine"
    );
    Ok(())
}

/// A distribution's interpreter is linked and stripped in another way than one that was built by pyenv, so both are
/// worth a recording of the same version.
fn name(interpreter: &Interpreter) -> String {
    let suffix = if interpreter.path.starts_with("/usr/bin") {
        "-system"
    } else {
        ""
    };
    format!("python-{}{suffix}", interpreter.series())
}

fn record(crashlens: &Path, interpreter: &Interpreter, file: &Path) -> Result<u64> {
    // A neutral folder keeps this machine's paths out of the recording as far as may be.
    let place = tempfile::tempdir()?;
    fs_err::copy(
        workspace::root().join(FIXTURES).join("programs/deep.py"),
        place.path().join("deep.py"),
    )?;
    let mut run = Command::new(crashlens);
    run.args([
        "run",
        "--output",
        "report.txt",
        "--save",
        "death.crashlens",
        "--",
    ])
    .arg(&interpreter.path)
    .arg("deep.py")
    .current_dir(place.path())
    .env_clear()
    .env("PATH", "/usr/local/bin:/usr/bin:/bin")
    .stdin(Stdio::null())
    .stdout(Stdio::null());
    let ended = command::run_for(&mut run, Duration::from_mins(1))?;
    let status = match ended {
        Ended::Within(status) => command::shell_status(status),
        Ended::Stopped => -1,
    };
    ensure!(
        status == DIED,
        "{} ended with status {status} instead of {DIED}",
        interpreter.path.display()
    );
    let recorded = CaptureFile::read(&fs_err::read(place.path().join("death.crashlens"))?)?;
    let mut bytes = Vec::new();
    without_places(recorded)?.write(&mut bytes)?;
    fs_err::write(file, &bytes)?;
    Ok(bytes.len() as u64)
}

/// The same death on a machine that is nobody's. Names keep their length, so that recorded memory stays what it is.
fn without_places(mut recorded: CaptureFile) -> Result<CaptureFile> {
    let home = std::env::var("HOME").unwrap_or_default();
    let repository = workspace::root().to_string_lossy().into_owned();
    for place in [repository, home] {
        if place.len() < NOBODY.len() {
            continue;
        }
        let nobody = format!("{NOBODY:x<width$}", width = place.len());
        let facts = serde_json::to_string(&recorded.capture)?.replace(&place, &nobody);
        recorded = CaptureFile {
            capture: serde_json::from_str(&facts)?,
            recording: recorded
                .recording
                .map(|bytes| replace(&bytes, place.as_bytes(), nobody.as_bytes())),
        };
    }
    Ok(recorded)
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = bytes.to_vec();
    let mut at = 0;
    while at + from.len() <= replaced.len() {
        if replaced[at..].starts_with(from) {
            replaced[at..at + to.len()].copy_from_slice(to);
            at += to.len();
        } else {
            at += 1;
        }
    }
    replaced
}
