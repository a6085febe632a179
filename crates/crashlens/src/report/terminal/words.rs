//! What was said, thrown, called and passed: the process's own account of its end.

use std::io;

use crashlens_core::culprit::{CodeOwner, owner};
use crashlens_core::{
    CppException, Death, ExceptionState, ForeignArgument, ForeignCall, Lineage, Message, Origin,
    Parent, Phase, PointerTarget, PythonFrame,
};

use super::names::{clip, file_for_people, function_for_people};
use super::page::{FAINT, PLAIN, Page, STRONG};
use super::values::in_words;

/// So many messages are shown.
const MESSAGES_SHOWN: usize = 3;

/// Writes what was said: the last fatal messages that are not told yet, at most a few.
pub(super) fn write_messages(
    page: &mut Page<'_>,
    death: &Death,
    is_told: impl Fn(usize, &Message) -> bool,
) -> io::Result<()> {
    let fatal: Vec<&Message> = death
        .messages
        .iter()
        .enumerate()
        .filter(|(index, message)| message.fatal && !is_told(*index, message))
        .map(|(_, message)| message)
        .collect();
    let first = fatal.len().saturating_sub(MESSAGES_SHOWN);
    for (index, message) in fatal.iter().skip(first).enumerate() {
        let label = if index == 0 { "Said" } else { "" };
        let crashed = death.culprit.thread.as_ref().map(|thread| thread.id);
        let who = message
            .thread
            .filter(|thread| Some(*thread) != crashed)
            .map_or_else(String::new, |thread| format!(" (thread {thread})"));
        let room = page.width().saturating_sub(10) * 4;
        page.fact(
            label,
            &[
                (STRONG, &clip(&message.text.replace('\n', " "), room)),
                (FAINT, &who),
            ],
        )?;
    }
    Ok(())
}

/// Writes the C++ exception that was in flight; of one that is told already only where it was thrown.
pub(super) fn write_exception(
    page: &mut Page<'_>,
    exception: &CppException,
    is_told: bool,
) -> io::Result<()> {
    if !is_told {
        let what = exception
            .what
            .as_ref()
            .filter(|what| **what != exception.type_name)
            .map_or_else(String::new, |what| format!(" \"{what}\""));
        let state = match exception.state {
            ExceptionState::Uncaught => ", a C++ exception that nothing caught",
            ExceptionState::Caught => ", a C++ exception that was being handled",
            ExceptionState::Unknown => ", a C++ exception",
        };
        page.fact(
            "Thrown",
            &[
                (STRONG, &exception.type_name),
                (PLAIN, &what),
                (PLAIN, state),
            ],
        )?;
    }
    let Some(function) = exception.thrown_from.first() else {
        return Ok(());
    };
    let room = page.width().saturating_sub(22);
    let function = function_for_people(function, room);
    if is_told {
        page.fact("Thrown", &[(PLAIN, &format!("from {function}"))])
    } else {
        page.fact("", &[(PLAIN, &format!("thrown from {function}"))])
    }
}

/// Writes the call into a foreign library.
pub(super) fn write_call(page: &mut Page<'_>, call: &ForeignCall) -> io::Result<()> {
    let function = match (&call.function, call.address) {
        (Some(function), _) => function.clone(),
        (None, Some(address)) => format!("the function at {address}"),
        (None, None) => "a function".to_owned(),
    };
    let arguments: Vec<String> = call.arguments.iter().map(argument).collect();
    let undeclared = if call.declared == Some(false) {
        "; its argument types are not declared"
    } else {
        ""
    };
    page.fact(
        "Call",
        &[
            (STRONG, &format!("{function}({})", arguments.join(", "))),
            (PLAIN, &format!(" through {}{undeclared}", call.api)),
        ],
    )?;
    for (index, passed) in call.arguments.iter().enumerate() {
        if let Some(text) = bad_argument(index, passed) {
            page.fact("", &[(PLAIN, &text)])?;
        }
    }
    Ok(())
}

fn argument(passed: &ForeignArgument) -> String {
    let text = match (&passed.value, &passed.passed_as) {
        (Some(value), _) => in_words(value, 40),
        (None, Some(kind)) => format!("<{kind}>"),
        (None, None) => "?".to_owned(),
    };
    match passed.pointer {
        Some(pointer) if !text.contains(&pointer.to_string()) => format!("{text} = {pointer}"),
        _ => text,
    }
}

fn bad_argument(index: usize, passed: &ForeignArgument) -> Option<String> {
    let target = passed.target.and_then(|target| match target {
        PointerTarget::Null if passed.pointer.is_some_and(|pointer| pointer.0 != 0) => {
            Some("is too small to be a pointer")
        }
        PointerTarget::Null => Some("is a null pointer"),
        PointerTarget::Unmapped => Some("points to nothing"),
        PointerTarget::Mapped => None,
    });
    let kind = passed.passed_as.as_deref().unwrap_or("number");
    let what = match (passed.truncated, target) {
        (true, None) => format!("does not fit into the {kind} it was passed as"),
        (true, Some(target)) => {
            format!("{target}: it did not fit into the {kind} it was passed as")
        }
        (false, target) => target?.to_owned(),
    };
    Some(format!("argument {} {what}", index + 1))
}

/// Writes what the program was busy with, where that is more than "running".
pub(super) fn write_phase(page: &mut Page<'_>, phase: &Phase) -> io::Result<()> {
    let text = match phase {
        Phase::Importing { module, wanted } => match (module, wanted) {
            (Some(module), Some(wanted)) if module != wanted => {
                format!("importing {module}, on behalf of import {wanted}")
            }
            (Some(module), _) | (None, Some(module)) => format!("importing {module}"),
            (None, None) => "importing a module".to_owned(),
        },
        Phase::Training => "training a model".to_owned(),
        Phase::Evaluating => "evaluating a model".to_owned(),
        Phase::Predicting => "predicting with a model".to_owned(),
        Phase::Saving => "saving a model or other state".to_owned(),
        Phase::Loading => "loading a model or other state".to_owned(),
        Phase::IteratingDataset => "reading from a dataset".to_owned(),
        Phase::Exiting => "leaving: the interpreter was shutting down".to_owned(),
        Phase::Running => return Ok(()),
    };
    page.fact("Busy", &[(PLAIN, &text)])
}

/// Writes where a child process came from, and what becomes of its parent.
pub(super) fn write_lineage(page: &mut Page<'_>, lineage: &Lineage) -> io::Result<()> {
    let origin = match lineage.origin {
        Origin::Forked => "a copy of its parent (fork)",
        Origin::Spawned => "a program that its parent started",
        Origin::Started | Origin::Joined => return Ok(()),
    };
    let worker = lineage.worker.as_ref().map_or_else(String::new, |worker| {
        let name = worker
            .name
            .as_ref()
            .map_or_else(String::new, |name| format!(" \"{name}\""));
        match worker.kind.as_str() {
            // That it was started is said already.
            "subprocess" => name,
            kind => format!(", a worker of {kind}{name}"),
        }
    });
    let threads = threads_at_fork(lineage);
    page.fact("Child", &[(PLAIN, &format!("{origin}{worker}{threads}"))])?;
    if let Some(task) = lineage
        .worker
        .as_ref()
        .and_then(|worker| worker.task.as_ref())
    {
        let room = page.width().saturating_sub(22);
        page.fact(
            "",
            &[(PLAIN, &format!("its task was {}", clip(task, room)))],
        )?;
    }
    // That it waits in vain is told elsewhere.
    match &lineage.parent {
        Some(parent) if parent.waits_for_ever != Some(true) => write_parent(page, parent),
        _ => Ok(()),
    }
}

/// What is lost by a copy of a process with threads: none of them is in the copy.
fn threads_at_fork(lineage: &Lineage) -> String {
    let tensorflow = lineage.tensorflow_threads_at_fork.unwrap_or(0);
    match (lineage.origin, lineage.parent_threads_at_fork) {
        (Origin::Forked, _) if tensorflow > 0 => {
            format!(", made when TensorFlow had already started {tensorflow} threads in the parent")
        }
        (Origin::Forked, Some(threads @ 2..)) => {
            format!(", made when the parent had {threads} threads, of which it has only one")
        }
        _ => String::new(),
    }
}

fn place_of(frame: &PythonFrame) -> String {
    let line = frame
        .line
        .map_or_else(String::new, |line| format!(":{line}"));
    format!("{}{line}", file_for_people(&frame.file, None))
}

/// Writes that the parent waits in vain: who has started it sees nothing but a program that hangs.
pub(super) fn write_vain_wait(page: &mut Page<'_>, lineage: &Lineage) -> io::Result<()> {
    match &lineage.parent {
        Some(parent) if parent.waits_for_ever == Some(true) => write_parent(page, parent),
        _ => Ok(()),
    }
}

fn write_parent(page: &mut Page<'_>, parent: &Parent) -> io::Result<()> {
    let Some(frame) = parent.frames.first() else {
        return Ok(());
    };
    let is_own = |frame: &&PythonFrame| owner(&frame.file) == CodeOwner::User;
    let own = parent.frames.iter().find(is_own);
    let caller = own
        .filter(|own| *own != frame)
        .map_or_else(String::new, |own| format!("at {}, ", place_of(own)));
    let waits = match parent.waits_for_ever {
        Some(true) => "; it waits for a result that will never come",
        _ => "",
    };
    page.fact(
        "Parent",
        &[(
            PLAIN,
            &format!(
                "process {} was {caller}in {} ({}){waits}",
                parent.pid,
                frame.function,
                place_of(frame)
            ),
        )],
    )
}
