//! Where it happened: the user's line, the op, the native function, and what the program was busy with.

use std::io;

use crashlens_core::Death;

use super::names::{clip, file_for_people, function_for_people};
use super::page::{PLAIN, Page, STRONG};
use super::{Verbosity, View, words};

/// Columns taken by the label of a fact.
const MARGIN: usize = 10;

/// Writes where it happened.
pub(super) fn write(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    write_python(page, death)?;
    write_beyond_python(page, death, view)
}

/// Writes what is known of the place beside the line of Python.
pub(super) fn write_beyond_python(
    page: &mut Page<'_>,
    death: &Death,
    view: &View,
) -> io::Result<()> {
    if let Some(op) = &death.culprit.op {
        page.fact("TF op", &[(PLAIN, op)])?;
    }
    write_native(page, death, view)?;
    if let Some(phase) = &death.phase {
        words::write_phase(page, phase)?;
    }
    match &death.lineage {
        Some(lineage) => words::write_vain_wait(page, lineage),
        None => Ok(()),
    }
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
    let library = culprit.library.as_ref().map(|library| {
        let whose = package.or_else(|| gloss(library));
        format!("in {library}{}", whose.unwrap_or_default())
    });
    let function = function.unwrap_or_else(|| "a function without a name".to_owned());
    page.fact("Native", &[(STRONG, &function)])?;
    match library {
        Some(library) => page.fact("", &[(PLAIN, &library)]),
        None => Ok(()),
    }
}

/// Whose the libraries are that come with no package.
fn gloss(library: &str) -> Option<String> {
    let known = [
        ("libc.so", "the C library"),
        ("libm.so", "the C library's mathematics"),
        ("libstdc++.so", "the C++ runtime"),
        ("libpython", "the Python interpreter"),
        ("python3", "the Python interpreter"),
        ("_ctypes.", "Python's ctypes"),
        ("ld-linux", "the loader of libraries"),
        ("libcuda.so", "the GPU driver"),
    ];
    let (_, whose) = known.iter().find(|(name, _)| library.starts_with(name))?;
    Some(format!(", {whose}"))
}

/// Columns for a function's name; in full it may take several lines.
pub(super) fn room(page: &Page<'_>, view: &View) -> usize {
    if view.verbosity == Verbosity::Full {
        usize::MAX
    } else {
        page.width().saturating_sub(MARGIN)
    }
}
