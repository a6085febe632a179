//! Where it happened: the user's line, the native function, the op, the thread.

use std::io;

use crashlens_core::{CulpritThread, Death, EndingKind, ThreadRole};

use super::names::{clip, file_for_people, function_for_people};
use super::page::{PLAIN, Page, STRONG};
use super::threads::gil;
use super::{Verbosity, View, fault, memory, values, words};

/// Columns taken by the label of a fact.
const MARGIN: usize = 10;

/// Writes where it happened.
pub(super) fn write(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    if death.ending.kind == EndingKind::Running {
        return match &death.lineage {
            Some(lineage) => words::write_lineage(page, lineage),
            None => Ok(()),
        };
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
    write_account(page, death, view)?;
    if let Some(thread) = &culprit.thread {
        let crashed = death.threads.iter().find(|other| other.id == thread.id);
        let gil = gil(crashed.and_then(|crashed| crashed.holds_gil));
        page.fact("Thread", &[(PLAIN, &describe(thread)), (PLAIN, gil)])?;
    }
    if let Some(before) = earlier_fault(death) {
        page.fact("Before", &[(PLAIN, &before)])?;
    }
    write_circumstances(page, death)
}

/// What was around it in time and in the process tree.
fn write_circumstances(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    if let Some(phase) = &death.phase {
        words::write_phase(page, phase)?;
    }
    if let Some(lineage) = &death.lineage {
        words::write_lineage(page, lineage)?;
    }
    memory::write(page, death)
}

/// The process's own account: what failed, what was called, thrown, said and held.
fn write_account(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    fault::write(page, death)?;
    if let Some(call) = &death.foreign_call {
        words::write_call(page, call)?;
    }
    if let Some(exception) = &death.exception {
        words::write_exception(page, exception)?;
    }
    words::write_messages(page, death)?;
    if view.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    values::write(page, death)
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
