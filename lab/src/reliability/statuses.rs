//! Every exit status and every signal, alone and under crashlens.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result};

use super::seen::Count;
use crate::side_by_side;

/// Signals that stop a process instead of ending it: `SIGSTOP`, `SIGTSTP`, `SIGTTIN`, `SIGTTOU`. Jobs are compared in
/// terminals.
const STOPPING: [u8; 4] = [19, 20, 21, 22];

pub fn exit_statuses(crashlens: &Path) -> Result<Count> {
    compare(crashlens, (0..=255).map(|code: u8| format!("exit {code}")))
}

/// A program ends by itself after a signal that is ignored by default.
pub fn signals(crashlens: &Path) -> Result<Count> {
    let signals = (1..=64).filter(|signal| !STOPPING.contains(signal));
    compare(
        crashlens,
        signals.map(|signal| format!("kill -{signal} $$; exit 3")),
    )
}

/// In how many runs what was written to both streams and the status are the same.
fn compare(crashlens: &Path, endings: impl Iterator<Item = String>) -> Result<Count> {
    let programs: Vec<_> = endings
        .map(|ending| format!("echo out; echo err >&2; {ending}"))
        .collect();
    let mut count = Count::default();
    side_by_side::in_order(
        &programs,
        |program| Ok([alone(program)?, supervised(crashlens, program)?]),
        |program, [alone, supervised]| {
            let is_same = alone == supervised;
            if !is_same {
                println!("{program}: {alone:?} alone, {supervised:?} under crashlens");
            }
            count.add(is_same);
            Ok(())
        },
    )?;
    Ok(count)
}

fn alone(program: &str) -> Result<Output> {
    output(Command::new("sh").args(["-c", program]))
}

/// The report goes to a file, or it would be among what the program wrote.
fn supervised(crashlens: &Path, program: &str) -> Result<Output> {
    let scratch = tempfile::tempdir()?;
    output(
        Command::new(crashlens)
            .args(["run", "--no-save", "--no-check", "--output"])
            .arg(scratch.path().join("report"))
            .args(["--", "sh", "-c", program]),
    )
}

fn output(command: &mut Command) -> Result<Output> {
    command
        .stdin(Stdio::null())
        .output()
        .context("cannot start a program")
}
