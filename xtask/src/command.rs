//! Runs other programs: to success, for their output, or against a time limit.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Runs a program whose failure is ours.
pub fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", name(command)))?;
    if !status.success() {
        bail!("{} failed: {status}", spelled(command));
    }
    Ok(())
}

/// What a program wrote to its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", name(command)))?;
    if !output.status.success() {
        bail!("{} failed: {}", spelled(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{} wrote no text", name(command)))
}

/// How a program with a time limit ended.
pub enum Ended {
    /// By itself.
    Within(ExitStatus),
    /// We asked it to end with SIGTERM, and it did, or we killed it.
    Stopped,
}

/// Runs a program in a process group of its own, and ends that whole group when the time is over.
pub fn run_for(command: &mut Command, limit: Duration) -> Result<Ended> {
    let mut child = command
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot start {}", name(command)))?;
    let group = Pid::from_raw(i32::try_from(child.id())?);
    let (sender, ended) = mpsc::channel();
    // Nobody may be listening any more when it ends.
    thread::spawn(move || sender.send(child.wait()).ok());
    if let Ok(status) = ended.recv_timeout(limit) {
        return Ok(Ended::Within(status?));
    }
    // The group may be gone by now; then there is nothing left to end.
    killpg(group, Signal::SIGTERM).ok();
    let gave_in = ended.recv_timeout(Duration::from_secs(20));
    killpg(group, Signal::SIGKILL).ok();
    if gave_in.is_err() {
        ended.recv()??;
    }
    Ok(Ended::Stopped)
}

/// The exit status as a shell has it.
pub fn shell_status(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(-1)
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

fn spelled(command: &Command) -> String {
    let mut words = vec![name(command)];
    words.extend(
        command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned()),
    );
    words.join(" ")
}
