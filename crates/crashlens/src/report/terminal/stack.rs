//! One stack: folded to what a person follows, or in full.

use std::collections::BTreeSet;
use std::io;

use crashlens_core::culprit::{CodeOwner, is_interpreter, owner};
use crashlens_core::report::ThreadReport;
use crashlens_core::{Frame, FrameTrust, NativeFrame, PythonFrame, StackEnd};
use textwrap::core::display_width;

use super::names::{clip, file_for_people, function_for_people, library_for_people, package_of};
use super::page::{FAINT, PLAIN, Page, STRONG};
use super::values::assignment;
use super::{Verbosity, View};

/// Columns in front of what a row says: indent and kind.
const MARGIN: usize = 10;

/// A function's name keeps so many columns, however long its library's name is.
const NAME_COLUMNS: usize = 26;

/// A row of a folded stack.
enum Row<'a> {
    /// A frame, and how often it stands there in succession.
    Frame(&'a Frame, usize),
    /// Frames that were left out.
    Skipped(Vec<&'a Frame>),
}

/// What kind of code a row shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Native,
    OwnPython,
    OtherPython,
}

/// Writes the frames of a thread. A folded stack has at most `rows` rows.
pub(super) fn write(
    page: &mut Page<'_>,
    thread: &ThreadReport,
    working_directory: Option<&str>,
    rows: usize,
    view: &View,
) -> io::Result<()> {
    if view.verbosity == Verbosity::Full {
        for frame in &thread.frames {
            write_in_full(page, frame)?;
        }
    } else {
        let hidden = write_rows(page, thread, working_directory, rows)?;
        if hidden > 0 {
            page.note(
                MARGIN,
                &format!("({hidden} frames of the interpreter not shown; -v shows all)"),
            )?;
        }
    }
    match describe(thread.end, thread.frames.len()) {
        Some(text) => page.note(MARGIN, &text),
        None => Ok(()),
    }
}

/// Writes at most `rows` rows; returns how many frames of the interpreter are in none of them.
pub(super) fn write_rows(
    page: &mut Page<'_>,
    thread: &ThreadReport,
    working_directory: Option<&str>,
    rows: usize,
) -> io::Result<usize> {
    let visible = visible(&thread.frames);
    for row in fold(&visible, rows) {
        match row {
            Row::Frame(frame, times) => write_frame(page, frame, times, working_directory)?,
            Row::Skipped(frames) => write_skipped(page, &frames)?,
        }
    }
    Ok(thread.frames.len() - visible.len())
}

/// Frames that are not the interpreter's own, but for those on top of the stack, where the interpreter itself acts.
fn visible(frames: &[Frame]) -> Vec<&Frame> {
    let mut interpreter_acts = true;
    let mut is_shown = |frame: &&Frame| match frame {
        Frame::Native(native) if is_interpreter(native) => interpreter_acts,
        Frame::Native(native) => {
            let is_c_library = native
                .library
                .as_deref()
                .is_some_and(|library| library.starts_with("libc."));
            interpreter_acts &= is_c_library;
            true
        }
        Frame::Python(_) => {
            interpreter_acts = false;
            true
        }
    };
    let mut shown: Vec<&Frame> = frames.iter().filter(|frame| is_shown(frame)).collect();
    // Below the outermost Python frame is only how the process or thread was started.
    if let Some(last) = shown
        .iter()
        .rposition(|frame| matches!(frame, Frame::Python(_)))
    {
        shown.truncate(last + 1);
    }
    shown
}

/// Rows for `frames`: repetitions as one, long runs of one kind cut in their middle, `limit` rows at most.
fn fold<'a>(frames: &[&'a Frame], limit: usize) -> Vec<Row<'a>> {
    let repeated = frames.chunk_by(|left, right| same_place(left, right));
    let rows: Vec<(&Frame, usize)> = repeated
        .filter_map(|chunk| {
            Some((
                *chunk.first()?,
                chunk.iter().filter(|frame| is_call(frame)).count(),
            ))
        })
        .collect();
    let mut folded = Vec::new();
    for (index, run) in rows
        .chunk_by(|(left, _), (right, _)| kind(left) == kind(right))
        .enumerate()
    {
        let (head, tail) = match run.first().map(|(frame, _)| kind(frame)) {
            Some(Kind::OwnPython) => (8, 4),
            Some(Kind::Native) if index == 0 => (limit / 3, 1),
            _ => (2, 1),
        };
        folded.extend(cut(
            run.iter()
                .map(|(frame, times)| Row::Frame(frame, *times))
                .collect(),
            head,
            tail,
        ));
    }
    let tail = limit / 4;
    cut(folded, limit.saturating_sub(tail + 1), tail)
}

/// The rows with their middle as one, if there is more than `head`, one and `tail`.
fn cut(mut rows: Vec<Row<'_>>, head: usize, tail: usize) -> Vec<Row<'_>> {
    if rows.len() <= head + tail + 1 {
        return rows;
    }
    let end = rows.split_off(rows.len() - tail);
    let middle = rows.split_off(head);
    let skipped = middle.into_iter().flat_map(|row| match row {
        Row::Frame(frame, times) => vec![frame; times.max(1)],
        Row::Skipped(frames) => frames,
    });
    rows.push(Row::Skipped(skipped.collect()));
    rows.extend(end);
    rows
}

fn kind(frame: &Frame) -> Kind {
    match frame {
        Frame::Native(_) => Kind::Native,
        Frame::Python(python) if owner(&python.file) == CodeOwner::User => Kind::OwnPython,
        Frame::Python(_) => Kind::OtherPython,
    }
}

/// Whether the frame is a call of its own. A function may be expanded into a part of itself, which is no recursion.
pub(in crate::report) fn is_call(frame: &Frame) -> bool {
    !matches!(frame, Frame::Native(native) if native.inlined)
}

pub(in crate::report) fn same_place(left: &Frame, right: &Frame) -> bool {
    match (left, right) {
        (Frame::Native(left), Frame::Native(right)) => {
            left.function.is_some()
                && (&left.function, &left.library) == (&right.function, &right.library)
        }
        (Frame::Python(left), Frame::Python(right)) => {
            (&left.file, left.line, &left.function) == (&right.file, right.line, &right.function)
        }
        _ => false,
    }
}

fn write_frame(
    page: &mut Page<'_>,
    frame: &Frame,
    times: usize,
    working_directory: Option<&str>,
) -> io::Result<()> {
    let times = if times > 1 {
        format!(" ({times} times)")
    } else {
        String::new()
    };
    match frame {
        Frame::Native(native) => {
            let note = format!("{}{times}", guess(native.trust));
            let library = native.library.as_deref().map_or_else(String::new, |name| {
                format!(" in {}", library_for_people(name))
            });
            let room = page.width().saturating_sub(MARGIN + note.len());
            let library = clip(&library, (room / 2).max(room.saturating_sub(NAME_COLUMNS)));
            let name = function_for_people(
                &native_name(native),
                room.saturating_sub(display_width(&library)),
            );
            page.line(
                2,
                &[
                    (PLAIN, "native  "),
                    (PLAIN, &name),
                    (FAINT, &library),
                    (FAINT, &note),
                ],
            )
        }
        Frame::Python(python) => {
            let place = python_place(python, working_directory);
            let is_own = owner(&python.file) == CodeOwner::User;
            let room = page.width().saturating_sub(MARGIN + times.len());
            let style = if is_own { STRONG } else { PLAIN };
            page.line(
                2,
                &[
                    (PLAIN, "Python  "),
                    (style, &clip(&place, room)),
                    (FAINT, &times),
                ],
            )?;
            match python.source.as_ref().filter(|_| is_own) {
                Some(source) => {
                    let room = page.width().saturating_sub(MARGIN + 2);
                    page.line(MARGIN + 2, &[(FAINT, &clip(source.trim(), room))])
                }
                None => Ok(()),
            }
        }
    }
}

fn write_skipped(page: &mut Page<'_>, frames: &[&Frame]) -> io::Result<()> {
    let mut native = 0;
    let mut places = BTreeSet::new();
    for frame in frames {
        match frame {
            Frame::Native(frame) => {
                native += 1;
                places.insert(
                    frame
                        .library
                        .as_deref()
                        .map_or_else(|| "code without a file".to_owned(), library_for_people),
                );
            }
            Frame::Python(frame) if owner(&frame.file) != CodeOwner::User => {
                places.insert(package_of(&frame.file).to_owned());
            }
            Frame::Python(_) => {}
        }
    }
    let kind = match native {
        0 => "Python frames",
        _ if native == frames.len() => "native frames",
        _ => "frames",
    };
    let places: Vec<String> = places.into_iter().collect();
    let places = if places.is_empty() {
        String::new()
    } else {
        format!(" in {}", places.join(", "))
    };
    let text = format!("… {} {kind}{places}", frames.len());
    page.note(MARGIN, &text)
}

fn write_in_full(page: &mut Page<'_>, frame: &Frame) -> io::Result<()> {
    match frame {
        Frame::Native(native) => {
            let library = native
                .library
                .as_deref()
                .map_or_else(String::new, |name| format!(" in {name}"));
            let offset = native.module_offset.map_or_else(
                || format!(" at {}", native.address),
                |offset| format!(" +{offset}"),
            );
            let source = native.source.as_ref().map_or_else(String::new, |source| {
                format!(" ({}:{})", source.file, source.line)
            });
            let inlined = if native.inlined {
                " (expanded into its caller)"
            } else {
                ""
            };
            let place = format!("{library}{offset}{source}{inlined}{}", guess(native.trust));
            page.fact(
                "native",
                &[
                    (PLAIN, native.function.as_deref().unwrap_or("(no name)")),
                    (FAINT, &place),
                ],
            )
        }
        Frame::Python(python) => {
            let place = python_place(python, None);
            page.fact("Python", &[(STRONG, &place), (FAINT, guess(python.trust))])?;
            if let Some(source) = &python.source {
                page.verbatim(MARGIN + 2, source.trim())?;
            }
            for variable in &python.locals {
                let room = page.width().saturating_sub(MARGIN + 4);
                page.verbatim(MARGIN + 4, &assignment(variable, room))?;
            }
            Ok(())
        }
    }
}

/// The function, or what there is instead.
pub(in crate::report) fn native_name(frame: &NativeFrame) -> String {
    match (&frame.function, frame.module_offset) {
        (Some(function), _) => function.clone(),
        (None, Some(offset)) => format!("(no name) +{offset}"),
        (None, None) => format!("(no name) at {}", frame.address),
    }
}

/// `train.py:5 in fit`.
pub(in crate::report) fn python_place(
    frame: &PythonFrame,
    working_directory: Option<&str>,
) -> String {
    let file = match working_directory {
        Some(_) => file_for_people(&frame.file, working_directory),
        None => frame.file.clone(),
    };
    let line = frame
        .line
        .map_or_else(String::new, |line| format!(":{line}"));
    format!("{file}{line} in {}", frame.function)
}

pub(in crate::report) fn guess(trust: FrameTrust) -> &'static str {
    match trust {
        FrameTrust::Scan => " (a guess)",
        FrameTrust::Unplaced => " (place uncertain)",
        FrameTrust::Registers
        | FrameTrust::CallFrameInfo
        | FrameTrust::Interpreter
        | FrameTrust::CallTarget
        | FrameTrust::FramePointer => "",
    }
}

pub(in crate::report) fn describe(end: StackEnd, frames: usize) -> Option<String> {
    Some(match end {
        StackEnd::Complete => return None,
        StackEnd::Unreadable { address } => {
            format!("(the stack ends here: memory at {address} could not be read)")
        }
        StackEnd::Loop => "(the stack leads back to itself here)".to_owned(),
        StackEnd::DepthLimit => format!("(only the innermost {frames} frames were read)"),
        StackEnd::Lost => "(the caller could not be found)".to_owned(),
        StackEnd::TimeLimit => "(the time allowed for reading ended here)".to_owned(),
        StackEnd::NotStopped => "(this thread could not be read)".to_owned(),
    })
}
