//! Text that a person has of a death, as a capture: a terminal's last lines, a log, a debugger's backtrace.
//!
//! Responsible for telling which facts the text states: signal, threads and frames, libraries, versions. What they
//! mean is for the rules, which see the lines too. Text may be cut, mixed, coloured and translated, and of any size:
//! what is kept of it is bounded.

mod cleaning;
mod endings;

use std::io::{self, BufRead};

use crate::capture::{
    CaptureSource, Circumstances, CrashCapture, Environment, GapId, Gaps, Host, Observed, Output,
    Process, Role, Tail, Testimony,
};
use crate::{secrets, signs};

/// Longer lines are cut.
const LONGEST_LINE: u64 = 8192;

/// Reads text of any size and keeps what tells of a death.
pub fn read(mut input: impl BufRead) -> io::Result<CrashCapture> {
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        if io::Read::take(&mut input, LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&line);
        lines.extend(cleaning::clean(&line, |part| {
            signs::may_hold(part.as_bytes()) || endings::may_hold(part.as_bytes())
        }));
    }
    Ok(capture(secrets::mask_lines(&lines), false))
}

/// The capture of a text, given its lines.
fn capture(lines: Vec<String>, truncated: bool) -> CrashCapture {
    let told = endings::of(&lines);
    let mut gaps = Gaps::default();
    let unsaid = gaps.add(
        "everything that the text does not say",
        "only text was given: what is not in it is not known",
        Some("Run the program again with `crashlens run`, or give a core file."),
    );
    CrashCapture {
        crashlens: env!("CARGO_PKG_VERSION").to_owned(),
        source: CaptureSource::Text,
        process: Process {
            pid: told.as_ref().and_then(|told| told.pid).unwrap_or(0),
            parent_pid: 0,
            role: Role::Main,
            command: Vec::new(),
            executable: Observed::Unknown(unsaid),
            working_directory: Observed::Unknown(unsaid),
        },
        ending: endings::ending(told.as_ref()),
        crashed_thread: None,
        registers: Observed::Unknown(unsaid),
        threads: Vec::new(),
        modules: Observed::Unknown(unsaid),
        maps: Observed::Unknown(unsaid),
        environment: Environment {
            python: Observed::Unknown(unsaid),
            variables: Observed::Unknown(unsaid),
            packages: Observed::Unknown(unsaid),
            limits: Observed::Unknown(unsaid),
        },
        host: unknown_host(unsaid),
        output: Output {
            stderr: Observed::Known(Tail { lines, truncated }),
        },
        testimony: Testimony::default(),
        circumstances: Circumstances::default(),
        gaps,
    }
}

fn unknown_host(unsaid: GapId) -> Host {
    Host {
        kernel: Observed::Unknown(unsaid),
        glibc: Observed::Unknown(unsaid),
        cpu_model: Observed::Unknown(unsaid),
        cpu_flags: Observed::Unknown(unsaid),
        memory_total: Observed::Unknown(unsaid),
        memory_available: Observed::Unknown(unsaid),
        memory_group: Observed::Unknown(unsaid),
    }
}

#[cfg(test)]
mod tests;
