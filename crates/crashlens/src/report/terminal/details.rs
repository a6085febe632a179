//! What was seen beyond where and why: values, the fault, what was called, thrown and said, and what was around.
//!
//! What the first finding has said already is left out, unless everything is asked for.

use std::io;

use crashlens_core::evidence::FactRef;
use crashlens_core::{CaptureSource, CulpritThread, Death, Message, ThreadRole};

use super::names::function_for_people;
use super::page::{PLAIN, Page};
use super::place::room;
use super::threads::gil;
use super::{LAST_LINES, Verbosity, View, fault, last_lines, memory, values, why, words};

/// A message is known again by so many of its bytes: evidence may quote only its beginning.
const KNOWN_BY: usize = 60;

/// Writes the details of a death.
pub(super) fn write(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    values::write(page, death)?;
    write_observed(page, death, view)?;
    memory::write(page, death)
}

/// Writes what was seen of the crash itself: no values, no memory.
pub(super) fn write_observed(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    write_account(page, death, view)?;
    let culprit = &death.culprit;
    if let Some(kernel) = culprit
        .kernel
        .as_ref()
        .filter(|_| culprit.kernel != culprit.function)
    {
        let room = room(page, view);
        page.fact("Kernel", &[(PLAIN, &function_for_people(kernel, room))])?;
    }
    // Threads of a text are only numbered by their order.
    let thread = culprit.thread.as_ref();
    if let Some(thread) = thread.filter(|_| death.source != CaptureSource::Text) {
        let crashed = death.threads.iter().find(|other| other.id == thread.id);
        let gil = gil(crashed.and_then(|crashed| crashed.holds_gil));
        page.fact("Thread", &[(PLAIN, &describe(thread)), (PLAIN, gil)])?;
    }
    if let Some(before) = earlier_fault(death) {
        page.fact("Before", &[(PLAIN, &before)])?;
    }
    match &death.lineage {
        Some(lineage) => words::write_lineage(page, lineage),
        None => Ok(()),
    }
}

/// The process's own account: what failed, what was called, thrown and said.
fn write_account(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    let is_fault_told = view.verbosity != Verbosity::Full
        && why::rests_on(death, |fact| matches!(fact, FactRef::Fault));
    fault::write(page, death, is_fault_told)?;
    if let Some(call) = &death.foreign_call {
        words::write_call(page, call)?;
    }
    if let Some(exception) = &death.exception {
        let what = exception.what.as_deref().unwrap_or_default();
        let is_told = view.verbosity != Verbosity::Full
            && [&exception.type_name, what]
                .iter()
                .all(|text| why::says(death, text));
        words::write_exception(page, exception, is_told)?;
    }
    words::write_messages(page, death, |index, message| {
        view.verbosity != Verbosity::Full && is_told(death, index, message)
    })
}

/// Whether a message stands in the evidence, or in the last lines of an explained death.
fn is_told(death: &Death, index: usize, message: &Message) -> bool {
    let beginning = message.text.floor_char_boundary(KNOWN_BY);
    let beginning = message.text.get(..beginning).unwrap_or_default();
    let is_cited = |fact: &FactRef| *fact == FactRef::Message { index };
    let is_last = || {
        let lines = last_lines(death, LAST_LINES);
        lines.iter().any(|line| line.contains(beginning))
    };
    why::rests_on(death, is_cited)
        || why::says(death, beginning)
        || (why::is_explained(death) && is_last())
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
