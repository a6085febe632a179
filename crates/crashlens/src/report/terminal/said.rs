//! What a report says in sentences, in pieces: for forms that lay them out themselves, so that every form says the same.

use std::io;

use crashlens_core::Death;
use crashlens_core::report::Hang;

use super::page::{Columns, Page, Piece, pieces};
use super::{Verbosity, View, details, hang, headline, memory, place, stack, threads, words};

/// What is said of one process.
pub(in crate::report) struct Said {
    /// Who died, of what.
    pub(in crate::report) headline: Vec<Piece>,
    /// Where, beside the line of Python.
    pub(in crate::report) place: Vec<Piece>,
    /// What was seen beyond where and why, beside the values and the memory.
    pub(in crate::report) details: Vec<Piece>,
    /// Memory and limits, where the process may have died for them.
    pub(in crate::report) memory: Vec<Piece>,
}

impl Said {
    /// Of one process that died or was looked at.
    pub(in crate::report) fn of(death: &Death) -> io::Result<Self> {
        let view = |verbosity| View {
            columns: Columns::new(None),
            verbosity,
            fail_on: None,
        };
        let is_alive = death.ending.kind.is_alive();
        Ok(Self {
            headline: pieces(|page| headline::write(page, death))?,
            place: pieces(|page| {
                if is_alive {
                    return match &death.lineage {
                        Some(lineage) => words::write_vain_wait(page, lineage),
                        None => Ok(()),
                    };
                }
                place::write_beyond_python(page, death, &view(Verbosity::Folded))
            })?,
            details: pieces(|page| {
                if is_alive {
                    return match &death.lineage {
                        Some(lineage) => words::write_lineage(page, lineage),
                        None => Ok(()),
                    };
                }
                details::write_observed(page, death, &view(Verbosity::Full))
            })?,
            memory: pieces(|page| memory::write_numbers(page, death))?,
        })
    }

    /// Of a tree that makes no progress.
    pub(in crate::report) fn of_hang(hang: &Hang) -> io::Result<Vec<Piece>> {
        pieces(|page| hang::write_sentences(page, hang))
    }
}

/// Rows of a stack, and columns.
const ROWS: usize = 10;
const COLUMNS: u16 = 100;

/// The thread that matters most, folded, in plain lines: what it is, and its frames.
pub(in crate::report) fn folded_stack(death: &Death) -> io::Result<(&'static str, Vec<String>)> {
    let Some(thread) = death.threads.iter().find(|it| threads::is_first(it, death)) else {
        return Ok(("", Vec::new()));
    };
    let title = if thread.crashed {
        "Stack of the crashed thread, innermost first"
    } else {
        "Stack of the main thread, innermost first"
    };
    let mut text = Vec::new();
    let mut page = Page::new(&mut text, Columns::new(Some(COLUMNS)));
    let directory = death.environment.working_directory.as_deref().or(Some("/"));
    stack::write_rows(&mut page, thread, directory, ROWS)?;
    let plain = anstream::adapter::strip_bytes(&text).into_vec();
    let plain = String::from_utf8_lossy(&plain);
    Ok((
        title,
        plain
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect(),
    ))
}
