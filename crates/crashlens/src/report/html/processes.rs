//! The processes of a run: which died, who had started them, and what their parents were doing.

use crashlens_core::{Death, Origin, Report};
use maud::{Markup, html};

use super::anchors::Anchors;
use super::parts;
use crate::report::terminal::python_place;

/// Deaths that are listed.
const MOST: usize = 50;

/// The deaths of a report with several, each with the way to it.
pub(super) fn contents(report: &Report) -> Markup {
    html! {
        nav {
            strong { (report.deaths.len()) " processes died" }
            ol {
                @for (index, death) in report.deaths.iter().enumerate().take(MOST) {
                    li { a href=(format!("#p{index}-top")) { (who(death)) } " " (parts::ended(death)) }
                }
            }
        }
    }
}

/// The tree around a process, where anything is known of it.
pub(super) fn write(report: &Report, death: &Death, anchors: &Anchors) -> Markup {
    let parent = death.lineage.as_ref().and_then(|it| it.parent.as_ref());
    let siblings = report
        .deaths
        .iter()
        .filter(|it| it.parent_pid == death.parent_pid);
    let children = report.deaths.iter().filter(|it| it.parent_pid == death.pid);
    let is_known = parent.is_some() || report.deaths.len() > 1;
    html! {
        @if is_known {
            section id=(anchors.section("processes")) {
                h2 { "Processes" }
                ul.tree {
                    li {
                        "pid " (death.parent_pid) " " span.faint { "the parent" }
                        @if let Some(frame) = parent.and_then(|it| it.frames.first()) {
                            " " code { (parts::text(&python_place(frame, Some("/")))) }
                        }
                        @if parent.and_then(|it| it.waits_for_ever) == Some(true) {
                            " " span.tag { "waits for a result that will never come" }
                        }
                        ul {
                            @for sibling in siblings.take(MOST) {
                                li.here[sibling.pid == death.pid] {
                                    (process(sibling))
                                    @if sibling.pid == death.pid {
                                        ul { @for child in children.clone().take(MOST) { li { (process(child)) } } }
                                    }
                                }
                            }
                            @if !report.deaths.iter().any(|it| it.pid == death.pid) {
                                li.here { (process(death)) }
                            }
                        }
                    }
                }
            }
        } @else if death.lineage.is_some() {
            span.anchor id=(anchors.section("processes")) {}
        }
    }
}

fn process(death: &Death) -> Markup {
    let worker = death.lineage.as_ref().and_then(|it| it.worker.as_ref());
    let origin = death.lineage.as_ref().map(|it| it.origin);
    html! {
        (who(death)) " " span.tag { (parts::ended(death)) }
        @match origin {
            Some(Origin::Forked) => { " " span.faint { "a copy of its parent (fork)" } },
            Some(Origin::Spawned) => { " " span.faint { "started by its parent" } },
            _ => {},
        }
        @if let Some(worker) = worker {
            " " span.faint { "worker of " (parts::text(&worker.kind)) }
            @if let Some(task) = &worker.task { " " code { (parts::text(task)) } }
        }
    }
}

fn who(death: &Death) -> Markup {
    html! { (parts::program(death)) @if death.pid != 0 { " (pid " (death.pid) ")" } }
}
