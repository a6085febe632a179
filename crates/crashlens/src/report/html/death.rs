//! One process on the page: what matters in the first screen, everything else below it.

use crashlens_core::diagnosis::RuledOut;
use crashlens_core::evidence::Stance;
use crashlens_core::remedy::Crashlens;
use crashlens_core::{CaptureSource, Death, PythonFrame, PythonLine, Report, Variable};
use maud::{Markup, html};

use super::anchors::Anchors;
use super::{environment, memory, parts, processes, stack, threads, values, verdict};
use crate::report::terminal::{
    Said, file_for_people, is_kill, last_state, mentions, own_frame, printable, sentence,
};
use crate::saved::retention;

/// Maximum number of last lines on the page; the others are counted.
const LAST_LINES: usize = 200;

/// Writes a process.
pub(super) fn write(report: &Report, death: &Death, anchors: &Anchors, said: &Said) -> Markup {
    // Then memory is what it may have died for.
    let is_kill = is_kill(death);
    html! {
        article {
            (top(report, death, anchors, said))
            main {
                (verdict::write(death, anchors))
                (place(death, anchors, said))
                @if is_kill { (memory::write(death, anchors, said)) }
                (stack::write_first(death, anchors))
                (details(death, anchors, said))
                @if !is_kill { (memory::write(death, anchors, said)) }
                (processes::write(report, death, anchors))
                (last_words(death, anchors))
                (verdict::write_others(death, anchors))
                (threads::write(death, anchors))
                (ruled_out(death, anchors))
                (environment::write_hazards(report, death))
                (environment::write(death, anchors))
                (parts::gaps("What could not be seen", &death.gaps))
                (files(death))
            }
        }
    }
}

/// What died, and of what.
fn top(report: &Report, death: &Death, anchors: &Anchors, said: &Said) -> Markup {
    let is_alive = death.ending.kind.is_alive();
    let python = death.environment.python.as_ref();
    let seconds = report.run.duration_seconds;
    let samples = || death.memory.as_ref()?.timeline.as_ref()?.samples.last();
    let seconds = seconds.or_else(|| samples().map(|it| it.milliseconds as f64 / 1000.0));
    let package = death.culprit.package.as_ref();
    html! {
        header.top id=(anchors.section("top")) {
            p.badges {
                span.badge.bad[!is_alive].warn[is_alive] { (parts::ended(death)) }
                @if death.pid != 0 { span { "pid " (death.pid) } }
                @if let Some(seconds) = seconds { span { "after " (format!("{seconds:.1} s")) } }
                @if let Some(python) = python { span { "Python " (parts::text(&python.version)) } }
                @if let Some(package) = package {
                    span { (parts::text(&package.name)) " " (parts::text(&package.version)) }
                }
            }
            h1.lead { (parts::sentences(&said.headline)) }
            @if !death.command.is_empty() {
                p.command { code { (parts::text(&death.command.join(" "))) } }
            }
        }
    }
}

/// The line of Python with the values that it works with, and the native function.
fn place(death: &Death, anchors: &Anchors, said: &Said) -> Markup {
    let python = death.culprit.python.as_ref();
    if python.is_none() && said.place.is_empty() {
        return html! { span.anchor id=(anchors.section("where")) {} };
    }
    let frame = own_frame(death);
    html! {
        section id=(anchors.section("where")) {
            h2 { @if death.ending.kind.is_alive() { "Where it is" } @else { "Where" } }
            @if let Some(python) = python { (line(python, frame, death)) }
            (parts::facts(&said.place))
        }
    }
}

fn line(python: &PythonLine, frame: Option<&PythonFrame>, death: &Death) -> Markup {
    let file = file_for_people(&python.file, death.environment.working_directory.as_deref());
    let source = python.source.as_deref();
    let proof = verdict::cited_values(death);
    let is_proof = |it: &&Variable| proof.iter().any(|cited| std::ptr::eq(*cited, *it));
    let locals = frame.map_or(&[][..], |frame| &frame.locals);
    let locals = locals.iter().filter(|it| !is_proof(it));
    let (mentioned, others): (Vec<_>, Vec<_>) =
        locals.partition(|it| mentions(source.unwrap_or_default(), &it.name));
    let told: Vec<&Variable> = proof.iter().copied().chain(mentioned).collect();
    html! {
        p.at {
            strong { (parts::text(&file)) }
            @if let Some(line) = python.line { ", line " (line) }
            ", in " code { (parts::text(&python.function)) }
        }
        div.beside {
            @if let Some(source) = source {
                pre.source {
                    @if let Some(line) = python.line { span.no { (line) } }
                    code { (parts::text(source.trim())) }
                }
            }
            @if !told.is_empty() { (values::table(&told, proof.len())) }
        }
        @if !others.is_empty() {
            details {
                summary { (others.len()) " more " @if others.len() == 1 { "value" } @else { "values" } " of this function" }
                (values::table(&others, 0))
            }
        }
    }
}

fn details(death: &Death, anchors: &Anchors, said: &Said) -> Markup {
    let messages = death
        .messages
        .iter()
        .filter(|message| message.line.is_none());
    let messages: Vec<_> = messages.collect();
    html! {
        @if said.details.is_empty() {
            span.anchor id=(anchors.section("details")) {}
        } @else {
            section id=(anchors.section("details")) {
                h2 { "What was seen" }
                (parts::facts(&said.details))
            }
        }
        @if messages.is_empty() {
            span.anchor id=(anchors.section("messages")) {}
        } @else {
            section id=(anchors.section("messages")) {
                h2 { "What it said, as its memory has it" }
                @for message in &messages {
                    pre.tail { (message_lines(&message.text)) }
                }
            }
        }
    }
}

fn message_lines(text: &str) -> Markup {
    html! { @for line in text.lines() { (printable(line).as_ref()) "\n" } }
}

/// What it had written last.
fn last_words(death: &Death, anchors: &Anchors) -> Markup {
    let Some(tail) = death
        .output
        .stderr
        .as_ref()
        .filter(|tail| !tail.lines.is_empty())
    else {
        return html! {};
    };
    let skipped = tail.lines.len().saturating_sub(LAST_LINES);
    let title = match death.source {
        CaptureSource::Text => "Last lines of the text",
        CaptureSource::Process | CaptureSource::Core => "Last lines on its standard error",
    };
    html! {
        section id=(anchors.section("words")) {
            h2 { (title) }
            pre.tail {
                @for (index, line) in tail.lines.iter().enumerate() {
                    @if index < skipped { span id=(anchors.line(index)) {} }
                    @else { span id=(anchors.line(index)) { (printable(&last_state(line)).as_ref()) "\n" } }
                }
            }
            @if skipped > 0 { p.faint { "The first " (skipped) " lines that were kept are not shown." } }
        }
        @if let Some(lines) = death.kernel_log.as_ref().filter(|lines| !lines.is_empty()) {
            section id=(anchors.section("kernel")) {
                h2 { "The kernel's log about it" }
                pre.tail { @for line in lines { (printable(line).as_ref()) "\n" } }
            }
        } @else {
            span.anchor id=(anchors.section("kernel")) {}
        }
    }
}

fn ruled_out(death: &Death, anchors: &Anchors) -> Markup {
    let excluded = &death.diagnosis.ruled_out;
    html! {
        @if !excluded.is_empty() {
            section {
                h2 { "Ruled out" }
                ul.plain { @for cause in excluded { li { (why_not(cause, death, anchors)) } } }
            }
        }
    }
}

fn why_not(excluded: &RuledOut, death: &Death, anchors: &Anchors) -> Markup {
    let mut evidence = excluded.evidence.iter();
    let against = evidence.find(|it| it.stance == Stance::Against);
    html! {
        strong { (excluded.cause.word()) } ": "
        @match against {
            Some(against) => {
                (parts::marked(&sentence(&against.claim)))
                (verdict::link(against, death, anchors))
            },
            None => "no evidence for it.",
        }
    }
}

/// The file that holds the capture, and what went for it.
fn files(death: &Death) -> Markup {
    html! {
        @if let Some(saved) = &death.saved {
            section {
                h2 { "Saved" }
                (parts::command(&Crashlens::Show(saved.clone()).to_string()))
                @if !death.removed.is_empty() {
                    p.faint { (death.removed.len()) " earlier captures were removed: " (retention::RULE) "." }
                }
            }
        }
    }
}
