//! A report as one page of HTML, to be looked at and passed on.
//!
//! The page is complete in itself: it runs nothing and asks for nothing, and its policy has the browser refuse whatever
//! tries. Foreign text is escaped by maud, and [`parts`] has replaced what cannot be seen. The report is in the page too, as JSON.

mod anchors;
mod death;
mod environment;
mod inspection;
mod memory;
mod parts;
mod processes;
mod stack;
mod threads;
mod values;
mod verdict;

use std::io::{self, Write};

use crashlens_core::remedy::Command;
use crashlens_core::report::{Hang, page};
use crashlens_core::text::plural;
use crashlens_core::{Death, Gap, Report};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::anchors::Anchors;
use super::terminal::{Said, is_first, own_command};
use crate::harmless;

const STYLE: &str = include_str!("html/style.css");
/// Nothing but this style is allowed. A test compares the hash with the style.
const POLICY: &str = concat!(
    "default-src 'none'; style-src 'sha256-",
    include_str!("html/style.css.sha256"),
    "'; base-uri 'none'; form-action 'none'"
);

/// A page of this many bytes can be attached to an issue or a mail. Beyond, other threads are shortened.
const LARGEST: usize = 300_000;
/// Frames that are kept of threads that did not crash, tried one after the other until the page is small enough.
const FRAMES_KEPT: [usize; 8] = [usize::MAX, 24, 16, 12, 8, 5, 3, 1];

/// Writes the page.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut page = String::new();
    for most in FRAMES_KEPT {
        page = document(&shortened(report, most))?;
        if page.len() < LARGEST {
            break;
        }
    }
    writeln!(out, "{page}")
}

/// With at most `most` frames in threads that did not crash; a gap says so.
fn shortened(report: &Report, most: usize) -> Report {
    let mut report = report.clone();
    let hung = report.hangs.iter_mut().flat_map(|it| &mut it.processes);
    for death in report.deaths.iter_mut().chain(hung) {
        let is_first: Vec<bool> = death.threads.iter().map(|it| is_first(it, death)).collect();
        let others = death
            .threads
            .iter_mut()
            .zip(is_first)
            .filter(|(_, is_first)| !is_first);
        let mut left_out = 0;
        for (thread, _) in others {
            left_out += thread.frames.len().saturating_sub(most);
            thread.frames.truncate(most);
        }
        if left_out > 0 {
            death.gaps.push(Gap {
                part: format!("{} of other threads", plural(left_out, "outer frame")),
                reason: "left out to keep the page small".to_owned(),
                remedy: Some("diagnose the saved capture".to_owned()),
            });
        }
    }
    report
}

fn document(report: &Report) -> io::Result<String> {
    let body = match report.deaths.is_empty() && report.hangs.is_empty() {
        true if !report.inspections.is_empty() => inspection::write_all(&report.inspections),
        true => nothing_died(report),
        false => processes_of(report)?,
    };
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                (PreEscaped(page::generator()))
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                title { (title(report)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                (footer(report))
                (PreEscaped(page::element(&json(report)?)))
            }
        }
    };
    Ok(document.into_string())
}

/// The report as the page has it: with the commands that the page shows, which are those of this program.
fn json(report: &Report) -> io::Result<String> {
    let mut report = report.clone();
    let hung = report.hangs.iter_mut().flat_map(|it| &mut it.processes);
    for death in report.deaths.iter_mut().chain(hung) {
        let own = own_command(death);
        let findings = death.diagnosis.findings.iter_mut();
        for remedy in findings.flat_map(|it| &mut it.remedies) {
            let command = remedy.command.take();
            remedy.command = command.map(|it| Command::from(it.render(own.as_deref())));
        }
    }
    let json = serde_json::to_string(&report)?;
    Ok(harmless::json(&json).into_owned())
}

fn title(report: &Report) -> String {
    let hung = report.hangs.first().and_then(|hang| hang.processes.first());
    match (report.deaths.first(), hung, report.inspections.first()) {
        (Some(death), ..) => format!("{}: {}", parts::program(death), parts::ended(death)),
        (None, Some(process), _) => format!("{}: no progress", parts::program(process)),
        (None, None, Some(inspection)) => inspection::title(inspection),
        (None, None, None) => "crashlens".to_owned(),
    }
}

/// Deaths in their order, then hangs.
fn processes_of(report: &Report) -> io::Result<Markup> {
    let mut articles = Vec::new();
    for (index, death) in report.deaths.iter().enumerate() {
        articles.push(article(report, death, index)?);
    }
    let mut index = report.deaths.len();
    for hang in &report.hangs {
        articles.push(hang_intro(hang)?);
        for process in &hang.processes {
            articles.push(article(report, process, index)?);
            index += 1;
        }
    }
    let several = report.deaths.len() > 1;
    Ok(html! {
        @if several { (processes::contents(report)) }
        @for article in &articles { (article) }
        @if !report.run.gaps.is_empty() {
            main { (parts::gaps("What could not be seen of the run", &report.run.gaps)) }
        }
    })
}

fn article(report: &Report, death: &Death, index: usize) -> io::Result<Markup> {
    let anchors = Anchors::of(death, index);
    Ok(death::write(report, death, &anchors, &Said::of(death)?))
}

fn hang_intro(hang: &Hang) -> io::Result<Markup> {
    let said = Said::of_hang(hang)?;
    Ok(html! {
        header.top {
            p.badges { span.badge.warn { "no progress" } }
            h1.lead { (parts::sentences(&said)) }
        }
    })
}

fn nothing_died(report: &Report) -> Markup {
    let code = report.run.exit_code;
    html! {
        header.top {
            p.badges { span.badge.ok { "no crash" } }
            h1.lead {
                "No process died of a signal (exit code "
                @match code { Some(code) => (code), None => "unknown" } ")."
            }
        }
        @if !report.run.gaps.is_empty() {
            main { (parts::gaps("What could not be seen of the run", &report.run.gaps)) }
        }
    }
}

fn footer(report: &Report) -> Markup {
    html! {
        footer {
            p {
                "Written by crashlens " (parts::text(&report.crashlens)) ". Nothing was sent anywhere; secrets are masked. "
                "The report is in this file as data: " code { "crashlens diagnose FILE.html" } " reads it."
            }
        }
    }
}

#[cfg(test)]
#[path = "html/tests.rs"]
mod tests;
