//! Kills of crashlens while its program writes to standard error.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::seen::Count;
use crate::side_by_side;

const KILLS: usize = 100;
const LINES: usize = 40_000;
/// Writes 4 MB: more than all pipes between the program and us hold, so that the program still writes when two thirds of
/// it have been read.
const PROGRAM: &str = "seq -f %099.0f 1 40000 >&2 && echo finished; exit 7";
const FINISHED: &str = "finished\n";
/// The variable by which a run finds its own processes.
const MARK: &str = "CRASHLENS_LAB_RUN";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Victim {
    /// The process that traces.
    Supervisor,
    /// The process that carries standard error where it is a pipe.
    Relay,
}

/// In how many of 100 runs the program reached its end after `SIGKILL`, each time at another place of its output.
///
/// After the end of the supervisor all lines have to arrive. After the end of a relay, lines that it had read and not yet
/// written are lost; the supervisor must then still end with the program's status.
pub fn survived(crashlens: &Path, victim: Victim) -> Result<Count> {
    let distance = LINES * 2 / 3 / KILLS;
    let places: Vec<_> = (0..KILLS).map(|number| 1 + number * distance).collect();
    let mut count = Count::default();
    side_by_side::in_order(
        &places,
        |place| failure(crashlens, victim, *place),
        |place, failure| {
            if let Some(failure) = &failure {
                println!("{victim:?} killed at line {place}: {failure}");
            }
            count.add(failure.is_none());
            Ok(())
        },
    )?;
    Ok(count)
}

/// What went wrong after a kill at this line, if anything did.
fn failure(crashlens: &Path, victim: Victim, place: usize) -> Result<Option<String>> {
    let mark = format!("{victim:?}-{place}-{}", std::process::id());
    let mut run = Command::new(crashlens)
        .args(["run", "--no-save", "--", "sh", "-c", PROGRAM])
        .env(MARK, &mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let stderr = run.stderr.take().context("no standard error")?;
    let mut arrived = Vec::new();
    for line in BufReader::new(stderr).lines() {
        arrived.push(line?);
        if arrived.len() == place {
            end(victim, &mut run, &mark)?;
        }
    }
    let mut said = String::new();
    let stdout = run.stdout.as_mut().context("no standard output")?;
    stdout.read_to_string(&mut said)?;
    let status = run.wait()?;
    let mut numbers = (1..).zip(&arrived);
    let is_whole =
        arrived.len() == LINES && numbers.all(|(number, line)| line.parse() == Ok(number));
    let as_wanted = match victim {
        Victim::Supervisor => is_whole && status.code().is_none(),
        Victim::Relay => status.code() == Some(7),
    };
    let is_well = as_wanted && said == FINISHED;
    Ok((!is_well).then(|| format!("{said:?}, {status}, {} lines", arrived.len())))
}

fn end(victim: Victim, run: &mut Child, mark: &str) -> Result<()> {
    match victim {
        Victim::Supervisor => run.kill()?,
        Victim::Relay => kill(carrier(mark).context("no relay")?, Signal::SIGKILL)?,
    }
    Ok(())
}

/// The relay that carries, of the two that there are: the other one stands by and is its child.
fn carrier(mark: &str) -> Option<Pid> {
    let wanted = format!("{MARK}={mark}");
    let is_relay = |pid: &i32| {
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let variables = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = variables.split(|byte| *byte == 0);
        name == "crashlens-relay\n" && variables.any(|it| it == wanted.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").ok()?;
    let numbers = processes.filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok());
    let relays: Vec<i32> = numbers.filter(is_relay).collect();
    let is_first = |pid: &&i32| !parent(**pid).is_some_and(|it| relays.contains(&it));
    relays.iter().find(is_first).copied().map(Pid::from_raw)
}

fn parent(pid: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let after_name = status.rsplit(')').next()?;
    after_name.split_whitespace().nth(1)?.parse().ok()
}
