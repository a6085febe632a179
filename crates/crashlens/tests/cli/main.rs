//! The command as a user meets it: help, exit codes, files, pipes.
#![expect(
    clippy::unwrap_used,
    reason = "a failed step of a test is a failed test"
)]

mod check;
mod diagnose;
mod help;
mod hostile;
mod pages;
mod private;
mod rules;
#[expect(dead_code, reason = "the renderer's tests use the other captures")]
mod sample;
mod shells;
mod traced;
mod waiting;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crashlens_core::{CaptureFile, CrashCapture};

/// The command under test, with an environment that says nothing about colour or width.
fn crashlens(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crashlens"));
    command
        .args(args)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS");
    command
}

fn output(args: &[&str]) -> Output {
    crashlens(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Saves a capture in `folder`.
fn saved(folder: &Path, capture: CrashCapture) -> PathBuf {
    let path = folder.join("death.crashlens");
    CaptureFile {
        capture,
        recording: None,
    }
    .write(std::fs::File::create(&path).unwrap())
    .unwrap();
    path
}
