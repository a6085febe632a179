//! Small parts that every section uses: text, code, labelled facts, commands, gaps.

use anstyle::Style;
use crashlens_core::{Death, EndingKind, Gap, Signal};
use maud::{Markup, html};

use crate::report::terminal::{ALARM, FAINT, Piece, STRONG, alike, gap_in_words, printable};

/// Foreign text on one line.
pub(super) fn text(text: &str) -> Markup {
    html! { (printable(text).as_ref()) }
}

/// A sentence in which backticks mark code.
pub(super) fn marked(text: &str) -> Markup {
    let text = printable(text);
    let pieces: Vec<&str> = text.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        // A backtick without its fellow marks nothing.
        return html! { (text.as_ref()) };
    }
    html! {
        @for (index, piece) in pieces.iter().enumerate() {
            @if index % 2 == 1 { code { (piece) } } @else { (piece) }
        }
    }
}

/// What has been said, on one line.
pub(super) fn sentences(said: &[Piece]) -> Markup {
    html! {
        @for (index, piece) in said.iter().enumerate() {
            @if index > 0 { " " }
            (spans(&piece.spans))
        }
    }
}

fn spans(spans: &[(Style, String)]) -> Markup {
    html! {
        @for (style, text) in spans {
            @if *style == ALARM { strong.alarm { (marked(text)) } }
            @else if *style == STRONG { strong { (marked(text)) } }
            @else if *style == FAINT { span.faint { (marked(text)) } }
            @else { (marked(text)) }
        }
    }
}

/// Labelled facts. A piece without a label goes on with the fact before it.
pub(super) fn facts(said: &[Piece]) -> Markup {
    html! {
        @if !said.is_empty() {
            dl.facts {
                @for fact in said.chunk_by(|_, next| next.label.is_empty()) {
                    @if let Some(first) = fact.first() {
                        dt { (first.label) }
                        dd { @for piece in fact { div { (spans(&piece.spans)) } } }
                    }
                }
            }
        }
    }
}

/// What can be copied into a shell.
pub(super) fn command(text: &str) -> Markup {
    html! {
        pre.cmd { code { @for line in text.lines() { (printable(line).as_ref()) "\n" } } }
    }
}

/// Name and value in a table; nothing where there is no value.
pub(super) fn row(name: &str, value: Option<&str>) -> Markup {
    html! {
        @if let Some(value) = value { tr { th scope="row" { (text(name)) } td { (text(value)) } } }
    }
}

/// What could not be seen; what is alike stands together.
pub(super) fn gaps(title: &str, gaps: &[Gap]) -> Markup {
    html! {
        @if !gaps.is_empty() {
            section {
                h2 { (title) }
                ul.plain { @for kind in alike(gaps) { li { (marked(&gap_in_words(&kind))) } } }
            }
        }
    }
}

/// File name of the program.
pub(super) fn program(death: &Death) -> String {
    let path = death.command.first().map_or("", String::as_str);
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = if name.is_empty() { "the process" } else { name };
    printable(name).into_owned()
}

/// How it ended, in a word or two.
pub(super) fn ended(death: &Death) -> String {
    let ending = &death.ending;
    let signal = || {
        ending
            .signal
            .map_or_else(|| "a signal".to_owned(), Signal::name)
    };
    match ending.kind {
        EndingKind::OomKill => "killed for memory".to_owned(),
        EndingKind::Signal => signal(),
        EndingKind::Exit => match ending.exit_code {
            Some(code) => format!("exit code {code}"),
            None => "ended".to_owned(),
        },
        EndingKind::Running => "running".to_owned(),
        EndingKind::Stopped => "stopped".to_owned(),
        EndingKind::Unknown => "ending unknown".to_owned(),
    }
}
