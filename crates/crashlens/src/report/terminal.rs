//! The report in plain words, for a terminal.
//!
//! What happened, where, why and what to do come first, and fit one screen; everything else follows. Colour is for emphasis: the text must read as well without. What is shown
//! comes from a dead process's memory, so nothing of it reaches the terminal as control codes.

mod aftermath;
mod details;
mod fault;
mod hang;
mod headline;
mod inspection;
mod markdown;
mod memory;
mod names;
mod page;
mod place;
mod said;
mod stack;
mod threads;
mod values;
mod why;
mod words;

use std::collections::HashMap;
use std::io::{self, Write};

use crashlens_core::hazard::Severity;
use crashlens_core::remedy::Crashlens;
use crashlens_core::{CaptureSource, Death, Gap, Report, Role, text};

use crate::saved::retention;

pub(super) use hang::write_hang;
pub(crate) use inspection::write_inspection;
pub(super) use markdown::write_markdown;
pub(super) use memory::is_kill;
pub(super) use names::{
    clip, file_for_people, function_for_people, last_state, library_for_people, package_of,
    printable,
};
pub(super) use page::{ALARM, Columns, FAINT, PLAIN, Page, Piece, STRONG};
pub(super) use said::{Said, folded_stack};
pub(super) use stack::{
    describe as end_in_words, guess, is_call, native_name, python_place, same_place,
};
pub(super) use threads::{is_first, label as thread_label, place as thread_place};
pub(super) use values::{in_words as value_in_words, mentions, own_frame};
pub(super) use why::{confidence, is_explained, own_command, sentence, warning, works_through};

/// How a report is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// How wide.
    pub(super) columns: Columns,
    /// How much.
    pub(super) verbosity: Verbosity,
    /// The least severity that counts as a failure; `None` where none does.
    pub(super) fail_on: Option<Severity>,
}

/// How much of a report is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// What happened, where, why, and what to do.
    Quiet,
    /// What fits a screen or two.
    Folded,
    /// Everything.
    Full,
}

impl Verbosity {
    /// As `--quiet` and `--verbose` say.
    pub(crate) fn of_flags(quiet: bool, verbose: bool) -> Self {
        match (quiet, verbose) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Full,
            (false, false) => Self::Folded,
        }
    }
}

/// So many gaps are told of one death before the rest is counted.
const GAPS_SHOWN: usize = 6;
/// So many things that are missing for one reason are named.
const PARTS_SHOWN: usize = 12;
/// So many last lines of standard error are shown.
const LAST_LINES: usize = 4;

/// Writes all deaths and what is to be said of the run.
pub(super) fn write_report(report: &Report, view: &View, out: &mut dyn Write) -> io::Result<()> {
    for death in &report.deaths {
        write_death(report, death, view, out)?;
    }
    for hang in &report.hangs {
        write_hang(hang, view, out)?;
    }
    if report.deaths.is_empty() {
        let code = report
            .run
            .exit_code
            .map_or_else(|| "unknown".to_owned(), |code| code.to_string());
        Page::new(out, view.columns)
            .paragraph(&format!("No process died of a signal (exit code {code})."))?;
    }
    let environment = !report.deaths.iter().any(closes_with_the_environment);
    write_end(report, environment, view, out)
}

/// Writes what is to be said when a run is over: nothing after an ordinary end.
///
/// `environment`: whether what was found there has not been written yet.
pub(super) fn write_end(
    report: &Report,
    environment: bool,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    if report.deaths.is_empty() && view.verbosity != Verbosity::Full {
        return Ok(());
    }
    let mut page = Page::new(out, view.columns);
    if environment {
        aftermath::write(&mut page, report, view)?;
    }
    write_gaps(
        &mut page,
        "What could not be seen of the run",
        &report.run.gaps,
        view,
    )
}

/// Whether what was found in the environment stands with this death: the program ends with it, so that the look was
/// made before it is told. After the death of a child nobody knows when that will be.
pub(super) fn closes_with_the_environment(death: &Death) -> bool {
    death.role == Role::Main && !death.ending.kind.is_alive()
}

/// Writes one death of a report.
pub(super) fn write_death(
    report: &Report,
    death: &Death,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    let report = Some(report).filter(|_| closes_with_the_environment(death));
    write_process(death, report, view, out)
}

/// Writes one process that died or was looked at, with what the report has of its environment.
fn write_process(
    death: &Death,
    report: Option<&Report>,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(out, view.columns);
    page.blank()?;
    headline::write(&mut page, death)?;
    if death.ending.kind.is_alive() {
        if let Some(lineage) = &death.lineage {
            words::write_lineage(&mut page, lineage)?;
            words::write_vain_wait(&mut page, lineage)?;
        }
    } else {
        page.section(None, |page| place::write(page, death, view))?;
        why::write(&mut page, death, view)?;
    }
    if view.verbosity != Verbosity::Quiet {
        write_depth(&mut page, death, view)?;
    }
    if let Some(report) = report {
        aftermath::write(&mut page, report, view)?;
    }
    write_next_step(&mut page, death, view)
}

/// What follows the first screen. Where no cause could be told, what was seen is all there is, and comes first.
fn write_depth(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    let is_dead = !death.ending.kind.is_alive();
    let details = |page: &mut Page<'_>| {
        page.section(Some("Details"), |page| details::write(page, death, view))
    };
    let is_explained = why::is_explained(death);
    if is_dead && !is_explained {
        details(page)?;
    }
    why::write_rest(page, death, view)?;
    threads::write_first(page, death, view)?;
    if is_dead && is_explained {
        details(page)?;
    }
    threads::write_others(page, death, view)?;
    write_last_words(page, death, view)?;
    // Of a text that goes without saying.
    if death.source == CaptureSource::Text && view.verbosity != Verbosity::Full {
        return Ok(());
    }
    write_gaps(page, "What could not be seen", &death.gaps, view)
}

fn write_last_words(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    let most = if view.verbosity == Verbosity::Full {
        usize::MAX
    } else {
        LAST_LINES
    };
    let heading = match death.source {
        CaptureSource::Text => "Last lines of the text",
        CaptureSource::Process | CaptureSource::Core => "Last lines on its standard error",
    };
    page.section(Some(heading), |page| {
        last_lines(death, most)
            .iter()
            .try_for_each(|line| page.log_line(line))
    })
}

/// The last lines that were written, without those that are empty.
pub(super) fn last_lines(death: &Death, most: usize) -> Vec<String> {
    let tail = death.output.stderr.as_ref();
    let lines = tail.map_or(&[][..], |tail| &tail.lines);
    let states = lines.iter().rev().map(|line| names::last_state(line));
    let mut last: Vec<String> = states
        .filter(|line| !line.trim().is_empty())
        .take(most)
        .collect();
    last.reverse();
    last
}

fn write_gaps(page: &mut Page<'_>, heading: &str, gaps: &[Gap], view: &View) -> io::Result<()> {
    if gaps.is_empty() || view.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    page.heading(heading)?;
    let kinds = alike(gaps);
    let shown = if view.verbosity == Verbosity::Full {
        kinds.len()
    } else {
        GAPS_SHOWN
    };
    for kind in kinds.iter().take(shown) {
        page.item(&gap_in_words(kind))?;
    }
    if kinds.len() > shown {
        page.item(&format!("and {} more (-v shows them)", kinds.len() - shown))?;
    }
    Ok(())
}

/// Gaps with the same reason and remedy together, in the order of their first.
pub(super) fn alike(gaps: &[Gap]) -> Vec<Vec<&Gap>> {
    let mut kinds: Vec<Vec<&Gap>> = Vec::new();
    let mut first_of_kind = HashMap::new();
    for gap in gaps {
        let first = *first_of_kind
            .entry((&gap.reason, &gap.remedy))
            .or_insert(kinds.len());
        match kinds.get_mut(first) {
            Some(kind) => kind.push(gap),
            None => kinds.push(vec![gap]),
        }
    }
    kinds
}

/// `limits, the processor: not recorded in a core file. To see them: …`
pub(super) fn gap_in_words(kind: &[&Gap]) -> String {
    let mut parts: Vec<&str> = kind.iter().map(|gap| gap.part.as_str()).collect();
    let more = parts.len().saturating_sub(PARTS_SHOWN);
    parts.truncate(PARTS_SHOWN);
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let sentence = |text: &str| format!("{}.", text.trim_end_matches('.'));
    let it = if kind.len() == 1 { "it" } else { "them" };
    let remedy = kind[0].remedy.as_ref();
    let remedy = remedy.map(|remedy| format!(" To see {it}: {}", sentence(remedy)));
    format!(
        "{}{more}: {}{}",
        parts.join(", "),
        sentence(&kind[0].reason),
        remedy.unwrap_or_default()
    )
}

fn write_next_step(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    let rule = death
        .diagnosis
        .findings
        .first()
        .filter(|_| view.verbosity != Verbosity::Quiet)
        .map(|finding| Crashlens::Rule(finding.name.clone()));
    if rule.is_none() && death.saved.is_none() {
        return Ok(());
    }
    page.blank()?;
    if let Some(rule) = rule {
        page.command("Cause", &rule.to_string())?;
    }
    let Some(saved) = &death.saved else {
        return Ok(());
    };
    page.command("Saved", saved)?;
    if !death.removed.is_empty() {
        let captures = text::plural(death.removed.len() as u64, "capture");
        page.command("Removed", &format!("{captures}, {}", retention::RULE))?;
    }
    if view.verbosity == Verbosity::Full {
        for path in &death.removed {
            page.item(path)?;
        }
    }
    if view.verbosity != Verbosity::Full {
        page.command("More", &Crashlens::Show(saved.clone()).to_string())?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "terminal/tests.rs"]
mod tests;
