//! Text that a person has of a death, as a capture: a terminal's last lines, a log, a debugger's backtrace.
//!
//! Responsible for telling which facts the text states: signal, threads and frames, libraries, versions. What they
//! mean is for the rules, which see the lines too. Text may be cut, mixed, coloured and translated, and of any size:
//! what is kept of it is bounded.

mod cleaning;
mod endings;
mod fault;
mod loaded;
mod names;
mod sieve;
mod stacks;
mod surroundings;
mod systems;
mod unicode;

use std::io::{self, BufRead, BufReader};

use crate::capture::{
    CaptureSource, Circumstances, CrashCapture, Environment, GapId, Gaps, Host, Observed, Output,
    Process, Role, Tail, Testimony,
};
use crate::contexts::colab;
use crate::secrets;

use stacks::Stacks;
use unicode::Decoder;

/// Reads text of any size and keeps what tells of a death.
pub fn read(mut input: impl BufRead) -> io::Result<CrashCapture> {
    let kept = match unicode::order(input.fill_buf()?) {
        None => sieve::sift(input)?,
        Some(order) => sieve::sift(BufReader::new(Decoder::new(input, order)))?,
    };
    let mut lines = Vec::new();
    for raw in &kept.lines {
        let text = String::from_utf8_lossy(raw);
        lines.extend(cleaning::clean(&text, |part| {
            sieve::is_telling(part.as_bytes())
        }));
    }
    let lines = colab::oldest_first(lines);
    Ok(capture(secrets::mask_lines(&lines), kept.truncated))
}

/// Whether the beginning of a file may be that of a text.
pub fn looks_like_text(opening: &[u8]) -> bool {
    unicode::looks_like_text(opening)
}

/// The capture of a text, given its lines.
fn capture(lines: Vec<String>, truncated: bool) -> CrashCapture {
    let told = endings::of(&lines);
    let mut ending = endings::ending(told.as_ref());
    let found = Stacks::of(&lines);
    let faults = found.kernel.clone();
    fault::read(&lines, told.as_ref(), &faults, &mut ending);
    let (threads, crashed_thread) = found.threads();
    let around = surroundings::of(&lines);
    let loaded = loaded::of(&lines, &threads, &faults, &around.packages);
    let mut gaps = Gaps::default();
    let unsaid = gaps.add(
        "everything that the text does not say",
        "only text was given: what is not in it is not known",
        Some("Run the program again with `crashlens run`, or give a core file."),
    );
    let said = Said(unsaid);
    CrashCapture {
        crashlens: env!("CARGO_PKG_VERSION").to_owned(),
        source: CaptureSource::Text,
        process: Process {
            pid: told.and_then(|told| told.pid).unwrap_or(0),
            parent_pid: 0,
            role: Role::Main,
            command: Vec::new(),
            executable: Observed::Unknown(unsaid),
            working_directory: Observed::Unknown(unsaid),
        },
        ending,
        crashed_thread,
        registers: Observed::Unknown(unsaid),
        threads,
        modules: said.list(loaded.modules),
        maps: said.list(loaded.maps),
        environment: Environment {
            python: said.value(around.python),
            variables: said.value(Some(around.variables).filter(|it| !it.is_empty())),
            packages: said.list(around.packages),
            limits: Observed::Unknown(unsaid),
        },
        host: Host {
            system: said.value(systems::of(&lines)),
            kernel: said.value(around.kernel),
            glibc: said.value(around.glibc),
            cpu_model: said.value(around.cpu_model),
            cpu_flags: said.value(around.cpu_flags),
            memory_total: said.value(around.memory_total),
            memory_available: Observed::Unknown(unsaid),
            memory_group: Observed::Unknown(unsaid),
        },
        output: Output {
            stderr: Observed::Known(Tail { lines, truncated }),
        },
        testimony: Testimony::default(),
        circumstances: Circumstances::default(),
        gaps,
    }
}

/// Turns what was found into facts. What was not found is not known: nobody writes everything.
struct Said(GapId);

impl Said {
    fn value<T>(&self, value: Option<T>) -> Observed<T> {
        value.map_or(Observed::Unknown(self.0), Observed::Known)
    }

    fn list<T>(&self, list: Vec<T>) -> Observed<Vec<T>> {
        self.value(Some(list).filter(|list| !list.is_empty()))
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod scored;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wordings;
