//! Every system call of crashlens, refused by a seccomp filter.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::denied_calls::{CALLS, Effect};
use super::seen::Count;
use crate::{command, side_by_side, workspace};

/// Starts a program under a filter.
const LAUNCHER: &str = "crates/crashlens-trace/tests/it/scripts/denied.py";
const ERRORS: [(&str, i32); 2] = [("EPERM", 1), ("ENOSYS", 38)];
const PROGRAMS: [&str; 2] = ["echo out; exit 7", "echo out; kill -SEGV $$"];
/// Far more than any run takes.
const LIMIT: Duration = Duration::from_secs(20);

/// In how many runs each effect was as it should be.
pub fn tried(crashlens: &Path) -> Result<Vec<(Effect, Count)>> {
    let trial = Trial {
        python: command::output(
            Command::new("python3").args(["-c", "import sys; print(sys.executable)"]),
        )?
        .trim()
        .into(),
        crashlens: crashlens.to_owned(),
        scratch: tempfile::tempdir()?,
    };
    let mut counts = Vec::new();
    for (effect, calls) in CALLS {
        let mut runs = Vec::new();
        for call in calls {
            for error in ERRORS {
                runs.extend(PROGRAMS.map(|program| (*call, error, program)));
            }
        }
        let mut count = Count::default();
        side_by_side::in_order(
            &runs,
            |((_, number), (_, error), program)| trial.failure(effect, [*number, *error], program),
            |((call, _), (error, _), program), failure| {
                if let Some(failure) = &failure {
                    println!("{call} refused with {error}, {program}: {failure}");
                }
                count.add(failure.is_none());
                Ok(())
            },
        )?;
        counts.push((effect, count));
    }
    Ok(counts)
}

struct Trial {
    /// The interpreter itself: `python3` may be a shell script that looks for it.
    python: PathBuf,
    crashlens: PathBuf,
    scratch: tempfile::TempDir,
}

impl Trial {
    /// What was not as it should be where a call is refused, given by its number and the number of the error.
    fn failure(&self, effect: Effect, refused: [i32; 2], program: &str) -> Result<Option<String>> {
        let shell = ["/bin/sh", "-c", program];
        let alone = self.output(refused, &shell)?;
        let crashlens = self.crashlens.to_string_lossy();
        let supervised = [&crashlens, "run", "--"].into_iter().chain(shell);
        let supervised = self.output(refused, &supervised.collect::<Vec<_>>())?;
        let (Some(alone), Some(supervised)) = (alone, supervised) else {
            return Ok(Some(format!("no end within {LIMIT:?}")));
        };
        let is_well = is_expected(effect, &alone, &supervised);
        Ok((!is_well).then(|| format!("{alone:?} alone, {supervised:?} under crashlens")))
    }

    /// What a program writes and how it ends; nothing if it, or a process that it starts, does not end in time.
    fn output(&self, refused: [i32; 2], program: &[&str]) -> Result<Option<Output>> {
        let run = Command::new(&self.python)
            .arg("-IS")
            .arg(workspace::root().join(LAUNCHER))
            .args(refused.map(|number| number.to_string()))
            .args(program)
            // Where captures are saved, and where they are saved instead if no folder can be made.
            .env("XDG_STATE_HOME", self.scratch.path())
            .current_dir(self.scratch.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let id = Pid::from_raw(run.id().try_into()?);
        let (done, output) = mpsc::channel();
        thread::spawn(move || done.send(run.wait_with_output()));
        if let Ok(output) = output.recv_timeout(LIMIT) {
            return Ok(Some(output?));
        }
        let _ = kill(id, Signal::SIGKILL);
        Ok(None)
    }
}

fn is_expected(effect: Effect, alone: &Output, supervised: &Output) -> bool {
    let is_same = alone.status == supervised.status && alone.stdout == supervised.stdout;
    let said = String::from_utf8_lossy(&supervised.stderr);
    let says = |words: &str| said.contains(words);
    // A shell that cannot send itself a signal does not crash.
    let crashed = alone.status.signal() == Some(Signal::SIGSEGV as i32);
    match effect {
        Effect::Supervised => {
            is_same && !says("without supervision") && (!crashed || says("died of SIGSEGV"))
        }
        Effect::Unsupervised => is_same && says("without supervision"),
        Effect::Speechless => is_same && said.is_empty(),
        Effect::NotLoaded => is_same && !says("died of"),
        Effect::NotStarted => {
            supervised.status.code() == Some(126) && says("crashlens: cannot execute /bin/sh")
        }
    }
}
