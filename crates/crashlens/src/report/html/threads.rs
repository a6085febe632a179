//! The threads that did not crash, each folded to the line that says where it was.

use crashlens_core::report::ThreadReport;
use crashlens_core::text::plural;
use crashlens_core::{Death, Frame};
use maud::{Markup, html};

use super::anchors::{Anchors, FRAMES_OF_OTHERS};
use super::{parts, stack};
use crate::report::terminal::{is_first, thread_label, thread_place};

/// Threads on the page; the JSON has all of them.
const MOST: usize = 300;
/// Maximum number of waiting threads that are open.
const OPEN: usize = 2;
/// Columns of the place in a summary.
const PLACE: usize = 90;

/// Writes them.
pub(super) fn write(death: &Death, anchors: &Anchors) -> Markup {
    let others = death
        .threads
        .iter()
        .filter(|thread| !is_first(thread, death));
    let others: Vec<&ThreadReport> = others.collect();
    let count: usize = others.iter().map(|thread| 1 + thread.also.len()).sum();
    html! {
        @if !others.is_empty() {
            section {
                h2 { (plural(count, "other thread")) }
                div.threads {
                    @for (index, thread) in others.iter().take(MOST).enumerate() {
                        (one(thread, index < OPEN, death, anchors))
                    }
                }
                @if others.len() > MOST { p.faint { "and " (others.len() - MOST) " more" } }
            }
        }
    }
}

fn one(thread: &ThreadReport, may_be_open: bool, death: &Death, anchors: &Anchors) -> Markup {
    let directory = death.environment.working_directory.as_deref().or(Some("/"));
    let rest = thread.frames.len().saturating_sub(FRAMES_OF_OTHERS);
    html! {
        details id=(anchors.thread(thread.id)) open[may_be_open && thread.waits_for_crashed] {
            summary {
                (parts::text(&thread_label(thread)))
                @if thread.waits_for_crashed { " " span.tag.calm { "was waiting for it" } }
                " " span.faint { (parts::text(&thread_place(thread, directory, PLACE))) }
            }
            ol.stack {
                @for (index, frame) in thread.frames.iter().take(FRAMES_OF_OTHERS).enumerate() {
                    @match frame {
                        Frame::Native(native) => li id=[anchors.frame(thread.id, index)] { (stack::native(native)) },
                        Frame::Python(python) => li.py id=[anchors.frame(thread.id, index)] { (stack::python_place(python, death)) },
                    }
                }
            }
            @if rest > 0 { p.faint { "and " (plural(rest, "frame")) " more" } }
            (stack::end(thread.end, thread.frames.len()))
        }
    }
}
