//! Stacks on the page: the user's own frames stand open, the others are folded by what they belong to.

use std::collections::BTreeSet;

use crashlens_core::culprit::{CodeOwner, is_interpreter, owner};
use crashlens_core::report::ThreadReport;
use crashlens_core::text::plural;
use crashlens_core::{Death, Frame, NativeFrame, PythonFrame, StackEnd, Variable};
use maud::{Markup, html};

use super::anchors::{Anchors, FRAMES_OF_CRASHED};
use super::{parts, values};
use crate::report::terminal::{
    end_in_words, file_for_people, function_for_people, guess, is_call, is_first,
    library_for_people, native_name, package_of, same_place,
};

/// Columns of a function's name.
const NAME: usize = 110;
/// Groups of at most this many frames are not folded.
const OPEN: usize = 2;
/// Maximum number of names that say whose the frames of a group are.
const WHOSE: usize = 4;
/// Own frames that stand open in succession: of a recursion there may be hundreds.
const OWN: usize = 8;

/// What frames are folded by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    OwnPython,
    /// Python code of packages, and the interpreter that runs it.
    Python,
    Native,
    /// What is below the outermost Python code: how the process or the thread was started.
    Start,
}

/// A frame, where it is in the stack, and how often it stands there in succession.
struct Row<'a> {
    frame: &'a Frame,
    kind: Kind,
    index: usize,
    times: usize,
}

/// Writes the thread that matters most: the crashed one, or the main thread where none crashed.
pub(super) fn write_first(death: &Death, anchors: &Anchors) -> Markup {
    html! {
        @for thread in death.threads.iter().filter(|thread| is_first(thread, death)) {
            section id=(anchors.thread(thread.id)) {
                h2 {
                    @if thread.crashed { "The crashed thread" } @else { "The main thread" }
                    " " span.faint {
                        (parts::text(&thread.name)) ", " (thread.id) ", innermost first"
                        @if thread.holds_gil == Some(true) { ", holding Python's lock (GIL)" }
                    }
                }
                (folded(thread, death, anchors))
            }
        }
    }
}

/// A stack in groups.
fn folded(thread: &ThreadReport, death: &Death, anchors: &Anchors) -> Markup {
    let rows = rows(&thread.frames);
    let culprit = rows.iter().find(|row| is_culprit(row.frame, death));
    let culprit = culprit.map(|row| row.index);
    let groups = rows.chunk_by(|one, other| {
        one.kind == other.kind && culprit != Some(one.index) && culprit != Some(other.index)
    });
    html! {
        ol.stack {
            @for group in groups {
                @match group.first().map(|row| row.kind) {
                    Some(Kind::OwnPython) => {
                        @let (open, rest) = group.split_at(group.len().min(OWN));
                        @for row in open { (row_of(row, thread, death, anchors, culprit)) }
                        (fold(rest, thread, death, anchors))
                    },
                    _ if group.len() <= OPEN => {
                        @for row in group { (row_of(row, thread, death, anchors, culprit)) }
                    },
                    _ => (fold(group, thread, death, anchors)),
                }
            }
        }
        (end(thread.end, thread.frames.len()))
    }
}

fn fold(rows: &[Row<'_>], thread: &ThreadReport, death: &Death, anchors: &Anchors) -> Markup {
    html! {
        @if !rows.is_empty() {
            li.fold {
                details {
                    summary { (plural(rows.len(), "frame")) " " (parts::text(&of_what(rows))) }
                    ol.stack { @for row in rows { (row_of(row, thread, death, anchors, None)) } }
                }
            }
        }
    }
}

/// `in keras, numpy`; `of the interpreter`.
fn of_what(rows: &[Row<'_>]) -> String {
    if rows.first().is_some_and(|row| row.kind == Kind::Start) {
        return "that started it".to_owned();
    }
    let names: BTreeSet<String> = rows.iter().filter_map(of_whom).collect();
    if names.is_empty() {
        return "of the interpreter".to_owned();
    }
    let names: Vec<String> = names.into_iter().take(WHOSE).collect();
    format!("in {}", names.join(", "))
}

/// The package, library or function that a row belongs to; none for the interpreter, which is everywhere.
fn of_whom(row: &Row<'_>) -> Option<String> {
    match row.frame {
        Frame::Native(native) if is_interpreter(native) => None,
        Frame::Native(native) => Some(
            native
                .library
                .as_deref()
                .map_or_else(|| "code without a file".to_owned(), library_for_people),
        ),
        Frame::Python(python) if row.kind == Kind::OwnPython => Some(python.function.clone()),
        Frame::Python(python) => Some(package_of(&python.file).to_owned()),
    }
}

/// Frames, with repetitions as one row.
fn rows(frames: &[Frame]) -> Vec<Row<'_>> {
    let outermost = frames.iter().rposition(|it| matches!(it, Frame::Python(_)));
    let mut rows = Vec::new();
    let mut index = 0;
    for chunk in frames.chunk_by(same_place) {
        if let Some(frame) = chunk.first() {
            let times = chunk.iter().filter(|frame| is_call(frame)).count();
            rows.push(Row {
                frame,
                kind: kind(frame, outermost.is_some_and(|outermost| index > outermost)),
                index,
                times,
            });
        }
        index += chunk.len();
    }
    rows.truncate(FRAMES_OF_CRASHED);
    rows
}

fn kind(frame: &Frame, is_start: bool) -> Kind {
    match frame {
        _ if is_start => Kind::Start,
        Frame::Native(native) if is_interpreter(native) => Kind::Python,
        Frame::Native(_) => Kind::Native,
        Frame::Python(python) if owner(&python.file) == CodeOwner::User => Kind::OwnPython,
        Frame::Python(_) => Kind::Python,
    }
}

fn is_culprit(frame: &Frame, death: &Death) -> bool {
    match frame {
        Frame::Native(native) => {
            native.function.is_some()
                && native.function == death.culprit.function
                && native.library == death.culprit.library
        }
        Frame::Python(_) => false,
    }
}

fn row_of(
    row: &Row<'_>,
    thread: &ThreadReport,
    death: &Death,
    anchors: &Anchors,
    culprit: Option<usize>,
) -> Markup {
    let id = anchors.frame(thread.id, row.index);
    let is_culprit = culprit == Some(row.index);
    html! {
        @match row.frame {
            Frame::Native(frame) => li.culprit[is_culprit] id=[id] {
                (native(frame))
                @if is_culprit { " " span.tag { "the culprit" } }
                (times(row.times))
            },
            Frame::Python(frame) => li.py.own[owner(&frame.file) == CodeOwner::User] id=[id] {
                (python(frame, death))
                (times(row.times))
            },
        }
    }
}

fn times(times: usize) -> Markup {
    html! { @if times > 1 { " " span.faint { (times) " times" } } }
}

/// A native function and where it is.
pub(super) fn native(frame: &NativeFrame) -> Markup {
    html! {
        code { (parts::text(&function_for_people(&native_name(frame), NAME))) } " "
        span.faint {
            @if let Some(library) = &frame.library { (parts::text(&library_for_people(library))) }
            @if let Some(source) = &frame.source { " " (parts::text(&source.file)) ":" (source.line) }
            (guess(frame.trust))
        }
    }
}

/// A Python function, and for those on the path of the crash its line and its values.
fn python(frame: &PythonFrame, death: &Death) -> Markup {
    let is_own = owner(&frame.file) == CodeOwner::User;
    let locals: Vec<&Variable> = frame.locals.iter().collect();
    html! {
        (python_place(frame, death))
        @if let Some(source) = frame.source.as_ref().filter(|_| is_own) {
            pre.source {
                @if let Some(line) = frame.line { span.no { (line) } }
                code { (parts::text(source.trim())) }
            }
        }
        @if !locals.is_empty() {
            details {
                summary { (plural(locals.len(), "value")) }
                (values::table(&locals, 0))
            }
        }
    }
}

/// `train.py:5 in fit`.
pub(super) fn python_place(frame: &PythonFrame, death: &Death) -> Markup {
    let directory = death.environment.working_directory.as_deref().or(Some("/"));
    html! {
        code { (parts::text(&frame.function)) } " "
        span.faint {
            (parts::text(&file_for_people(&frame.file, directory)))
            @if let Some(line) = frame.line { ":" (line) }
            (guess(frame.trust))
        }
    }
}

/// Why the stack is as short as it is.
pub(super) fn end(end: StackEnd, frames: usize) -> Markup {
    html! { @if let Some(text) = end_in_words(end, frames) { p.faint { (text) } } }
}
