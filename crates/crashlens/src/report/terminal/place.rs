//! Where it happened: the user's line, the native function, the op, the thread.

use std::io;

use crashlens_core::{CulpritThread, Death, EndingKind, MemoryGroup, Signal, ThreadRole};

use super::names::{clip, file_for_people, function_for_people};
use super::page::{FAINT, PLAIN, Page, STRONG};
use super::threads::gil;
use super::{Verbosity, View};

/// Columns taken by the label of a fact.
const MARGIN: usize = 10;

/// Writes where it happened.
pub(super) fn write(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    if death.ending.kind == EndingKind::Running {
        return Ok(());
    }
    page.blank()?;
    write_python(page, death)?;
    write_native(page, death, view)?;
    let culprit = &death.culprit;
    if let Some(kernel) = culprit
        .kernel
        .as_ref()
        .filter(|_| culprit.kernel != culprit.function)
    {
        let room = room(page, view);
        page.fact("Kernel", &[(PLAIN, &function_for_people(kernel, room))])?;
    }
    if let Some(op) = &culprit.op {
        page.fact("TF op", &[(PLAIN, op)])?;
    }
    if let Some(thread) = &culprit.thread {
        let crashed = death.threads.iter().find(|other| other.id == thread.id);
        let gil = gil(crashed.and_then(|crashed| crashed.holds_gil));
        page.fact("Thread", &[(PLAIN, &describe(thread)), (PLAIN, gil)])?;
    }
    if let Some(before) = earlier_fault(death) {
        page.fact("Before", &[(PLAIN, &before)])?;
    }
    write_memory(page, death)
}

/// What a handler of the program, such as Python's faulthandler, received before the death.
fn earlier_fault(death: &Death) -> Option<String> {
    if death.ending.raised_again {
        return Some("a handler had caught the signal first, and raised it again".to_owned());
    }
    let fault = death.ending.earlier_faults.last()?;
    let at = fault
        .address
        .map_or_else(String::new, |address| format!(" at address {address}"));
    Some(format!(
        "a handler of the program had received {}{at} in thread {}",
        fault.signal.name(),
        fault.thread
    ))
}

fn write_python(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    let Some(python) = &death.culprit.python else {
        return Ok(());
    };
    let file = file_for_people(&python.file, death.environment.working_directory.as_deref());
    let line = python
        .line
        .map_or_else(String::new, |line| format!(", line {line}"));
    page.fact(
        "Python",
        &[
            (STRONG, &format!("{file}{line}")),
            (PLAIN, &format!(", in {}", python.function)),
        ],
    )?;
    match &python.source {
        Some(source) => {
            let room = page.width().saturating_sub(MARGIN + 2);
            page.line(MARGIN + 2, &[(PLAIN, &clip(source, room))])
        }
        None => Ok(()),
    }
}

fn write_native(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    let culprit = &death.culprit;
    if culprit.function.is_none() && culprit.library.is_none() {
        return Ok(());
    }
    let room = room(page, view);
    let function = culprit
        .function
        .as_ref()
        .map(|function| function_for_people(function, room));
    let package = culprit
        .package
        .as_ref()
        .map(|package| format!(", from {} {}", package.name, package.version));
    let library = culprit
        .library
        .as_ref()
        .map(|library| format!("in {library}{}", package.unwrap_or_default()));
    let function = function.unwrap_or_else(|| "a function without a name".to_owned());
    page.fact("Native", &[(STRONG, &function)])?;
    match library {
        Some(library) => page.fact("", &[(PLAIN, &library)]),
        None => Ok(()),
    }
}

/// Columns for a function's name; in full it may take several lines.
fn room(page: &Page<'_>, view: &View) -> usize {
    if view.verbosity == Verbosity::Full {
        usize::MAX
    } else {
        page.width().saturating_sub(MARGIN)
    }
}

fn describe(thread: &CulpritThread) -> String {
    let role = match thread.role {
        ThreadRole::Main => ", the main thread",
        ThreadRole::Python => ", a Python thread",
        ThreadRole::TfData => ", a worker of tf.data",
        ThreadRole::Pool => ", a worker of a thread pool",
        ThreadRole::Other => "",
    };
    format!("{} \"{}\"{role}", thread.id, thread.name)
}

/// The control group's numbers, where the process may have died for them.
fn write_memory(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    let is_kill =
        death.ending.kind == EndingKind::OomKill || death.ending.signal == Some(Signal::KILL);
    let Some(group) = death
        .memory
        .as_ref()
        .and_then(|memory| memory.group.as_ref())
        .filter(|_| is_kill)
    else {
        return Ok(());
    };
    page.fact(
        "Memory",
        &[
            (PLAIN, &describe_group(group)),
            (FAINT, &format!(" (control group {})", group.path)),
        ],
    )
}

fn describe_group(group: &MemoryGroup) -> String {
    let amount =
        |name: &str, bytes: Option<u64>| bytes.map(|bytes| format!("{name} {}", size(bytes)));
    let kills = group.oom_kills.map(|all| match group.oom_kills_before {
        Some(before) => format!(
            "{} killed for memory during the run",
            all.saturating_sub(before)
        ),
        None => format!("{all} killed for memory since the group exists"),
    });
    let limit = amount("limit", group.limit).unwrap_or_else(|| "no limit".to_owned());
    let parts = [
        Some(limit),
        amount("highest use", group.peak),
        amount("in use", group.usage),
        kills,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `1.9 GiB`.
fn size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut amount = bytes as f64;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{bytes} bytes")
    } else {
        format!("{amount:.1} {}", units[unit])
    }
}
