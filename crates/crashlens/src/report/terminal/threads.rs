//! The threads of a process: those that matter with their stacks, the others in one line each.

use std::io;

use crashlens_core::report::ThreadReport;
use crashlens_core::{Death, Frame, ThreadRole};
use textwrap::core::display_width;

use super::names::{clip, function_for_people, library_for_people};
use super::page::{FAINT, PLAIN, Page};
use super::stack::{self, native_name, python_place};
use super::{Verbosity, View};

/// Rows of the stack that matters most.
const CRASHED_ROWS: usize = 25;
/// Rows of any other stack that is shown.
const OTHER_ROWS: usize = 12;
/// Threads that are told in one line before the rest is counted.
const LINES: usize = 10;
/// Columns for who a thread is.
const NAME_COLUMNS: usize = 34;

/// Writes the thread that matters most: the crashed one, or the main thread where none crashed.
pub(super) fn write_first(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    for thread in death
        .threads
        .iter()
        .filter(|thread| is_first(thread, death))
    {
        let heading = if thread.crashed {
            "The crashed thread, innermost first".to_owned()
        } else {
            format!("Thread {}", label(thread))
        };
        page.heading(&heading)?;
        let rows = if thread.crashed {
            CRASHED_ROWS
        } else {
            OTHER_ROWS
        };
        stack::write(page, thread, directory(death), rows, view)?;
    }
    Ok(())
}

pub(in crate::report) fn is_first(thread: &ThreadReport, death: &Death) -> bool {
    let has_crashed = death.threads.iter().any(|thread| thread.crashed);
    thread.crashed || (!has_crashed && thread.role == ThreadRole::Main)
}

fn directory(death: &Death) -> Option<&str> {
    death.environment.working_directory.as_deref().or(Some("/"))
}

/// Writes the other threads: what waited for the crashed one with its stack, the rest in a line each.
pub(super) fn write_others(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    let shows_all = view.verbosity == Verbosity::Full || death.ending.kind.is_alive();
    let mut others = Vec::new();
    for thread in death
        .threads
        .iter()
        .filter(|thread| !is_first(thread, death))
    {
        if !thread.waits_for_crashed && !shows_all {
            others.push(thread);
            continue;
        }
        let waits = if thread.waits_for_crashed {
            " was waiting for it"
        } else {
            ""
        };
        page.heading(&format!("Thread {}{waits}", label(thread)))?;
        stack::write(page, thread, directory(death), OTHER_ROWS, view)?;
    }
    write_lines(page, &others, directory(death))
}

fn write_lines(
    page: &mut Page<'_>,
    threads: &[&ThreadReport],
    directory: Option<&str>,
) -> io::Result<()> {
    if threads.is_empty() {
        return Ok(());
    }
    page.heading("Other threads")?;
    let shown = threads.get(..LINES).unwrap_or(threads);
    let columns = shown
        .iter()
        .map(|thread| display_width(&label(thread)))
        .max()
        .unwrap_or(0)
        .min(NAME_COLUMNS);
    for thread in shown {
        let name = clip(&label(thread), columns);
        let padding = " ".repeat(columns - display_width(&name) + 2);
        let room = page.width().saturating_sub(columns + 4);
        page.line(
            2,
            &[
                (PLAIN, &name),
                (PLAIN, &padding),
                (FAINT, &place(thread, directory, room)),
            ],
        )?;
    }
    let rest: usize = threads
        .iter()
        .skip(shown.len())
        .map(|thread| 1 + thread.also.len())
        .sum();
    if rest > 0 {
        page.line(2, &[(FAINT, &format!("and {rest} more (-v shows all)"))])?;
    }
    Ok(())
}

/// `4711 "tf_Compute" and 5 alike`.
pub(in crate::report) fn label(thread: &ThreadReport) -> String {
    let alike = if thread.also.is_empty() {
        String::new()
    } else {
        format!(" and {} alike", thread.also.len())
    };
    format!(
        "{} \"{}\"{alike}{}",
        thread.id,
        thread.name,
        gil(thread.holds_gil)
    )
}

/// Whether a thread held Python's global interpreter lock, which all others then wait for.
pub(super) fn gil(holds: Option<bool>) -> &'static str {
    if holds == Some(true) {
        ", holding Python's lock (GIL)"
    } else {
        ""
    }
}

/// Where the thread was: in its innermost Python code, or in its innermost function that has a name.
pub(in crate::report) fn place(
    thread: &ThreadReport,
    directory: Option<&str>,
    room: usize,
) -> String {
    let python = thread.frames.iter().find_map(|frame| match frame {
        Frame::Python(python) => Some(python_place(python, directory)),
        Frame::Native(_) => None,
    });
    if let Some(place) = python {
        return clip(&place, room);
    }
    let natives = || {
        thread.frames.iter().filter_map(|frame| match frame {
            Frame::Native(native) => Some(native),
            Frame::Python(_) => None,
        })
    };
    let Some(frame) = natives()
        .find(|frame| frame.function.is_some())
        .or_else(|| natives().next())
    else {
        return "nothing could be read".to_owned();
    };
    let library = frame.library.as_deref().map_or_else(String::new, |name| {
        format!(" in {}", library_for_people(name))
    });
    let library = clip(&library, room / 2);
    format!(
        "{}{library}",
        function_for_people(
            &native_name(frame),
            room.saturating_sub(display_width(&library))
        )
    )
}
