//! Memory over time, as a plot with its limit.

use crashlens_core::report::Memory;
use crashlens_core::text::bytes;
use crashlens_core::{Death, EndingKind, MemorySample, Timeline, TopLine};
use maud::{Markup, html};

use super::anchors::Anchors;
use super::parts;
use crate::report::terminal::{Said, python_place};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 120.0;
/// Room for the labels above and below the plot.
const ABOVE: f64 = 18.0;
const BELOW: f64 = 20.0;
/// Maximum number of places of the program.
const PLACES: usize = 6;
/// A limit that exceeds the peak by this factor would flatten the curve, and is left out.
const FAR: u64 = 20;

/// Writes the plot and the numbers.
pub(super) fn write(death: &Death, anchors: &Anchors, said: &Said) -> Markup {
    let Some(memory) = &death.memory else {
        return html! {};
    };
    let timeline = memory.timeline.as_ref();
    html! {
        section id=(anchors.section("memory")) {
            h2 { "Memory" }
            @if let Some(timeline) = timeline.filter(|it| it.samples.len() > 1) {
                (plot(timeline, limit(memory), death))
            }
            (parts::facts(&said.memory))
            (numbers(memory))
            @if let Some(timeline) = timeline { (places(timeline)) }
        }
    }
}

/// The limit that the process ran below: that of its cgroup.
fn limit(memory: &Memory) -> Option<u64> {
    let of_group = memory.group.as_ref().and_then(|group| group.limit);
    let of_timeline = memory.timeline.as_ref().and_then(|it| it.limit);
    of_timeline.or(of_group)
}

/// The last samples of the cgroup whose limit it is. What uses more than its limit is another group: the program has
/// moved since.
fn below_limit(samples: &[MemorySample], limit: u64) -> &[MemorySample] {
    let is_other = |it: &MemorySample| it.group.is_none_or(|used| used > limit);
    let start = samples
        .iter()
        .rposition(is_other)
        .map_or(0, |last| last + 1);
    samples.get(start..).unwrap_or_default()
}

/// From times and sizes to the plot.
struct Scale {
    start: u64,
    milliseconds: f64,
    most: f64,
}

impl Scale {
    fn of(samples: &[MemorySample], limit: Option<u64>) -> Self {
        let times = || samples.iter().map(|it| it.milliseconds);
        let start = times().min().unwrap_or(0);
        let end = times().max().unwrap_or(0);
        let used = samples.iter().map(|it| it.resident);
        let most = used.chain(limit).max().unwrap_or(0);
        Self {
            start,
            milliseconds: (end.saturating_sub(start) as f64).max(1.0),
            most: (most as f64 * 1.08).max(1.0),
        }
    }

    fn x(&self, milliseconds: u64) -> f64 {
        WIDTH * (milliseconds.saturating_sub(self.start) as f64 / self.milliseconds)
    }

    fn y(&self, bytes: u64) -> f64 {
        ABOVE + HEIGHT * (1.0 - bytes as f64 / self.most)
    }

    fn points(&self, samples: &[MemorySample], amount: impl Fn(&MemorySample) -> u64) -> String {
        let points = samples
            .iter()
            .map(|it| format!("{:.1},{:.1}", self.x(it.milliseconds), self.y(amount(it))));
        points.collect::<Vec<_>>().join(" ")
    }
}

fn plot(timeline: &Timeline, limit: Option<u64>, death: &Death) -> Markup {
    let samples = &timeline.samples;
    let peak = samples.iter().map(|it| it.resident).max().unwrap_or(0);
    let limit = limit.filter(|limit| *limit / FAR <= peak);
    let group = limit.map_or(&[][..], |limit| below_limit(samples, limit));
    let scale = Scale::of(samples, limit);
    let line = scale.points(samples, |it| it.resident);
    let has_group = group.len() > 1;
    let base = ABOVE + HEIGHT;
    let seconds = scale.milliseconds / 1000.0;
    let is_killed = death.ending.kind == EndingKind::OomKill;
    let label = match limit {
        Some(limit) => format!(
            "Memory over {seconds:.1} s: at most {}, limit {}",
            bytes(peak),
            bytes(limit)
        ),
        None => format!("Memory over {seconds:.1} s: at most {}", bytes(peak)),
    };
    html! {
        figure {
            svg viewBox=(format!("-5 0 {} {}", WIDTH + 10.0, ABOVE + HEIGHT + BELOW)) role="img" aria-label=(label) {
                line.grid x1="0" x2=(WIDTH) y1=(base) y2=(base) {}
                line.grid x1="0" x2=(WIDTH) y1=(scale.y(peak)) y2=(scale.y(peak)) {}
                polygon.area points=(format!("0,{base} {line} {WIDTH},{base}")) {}
                @if has_group { polyline.group points=(scale.points(group, |it| it.group.unwrap_or(0))) {} }
                polyline.line points=(line) {}
                @if let Some(limit) = limit {
                    line.limit x1="0" x2=(WIDTH) y1=(scale.y(limit)) y2=(scale.y(limit)) {}
                    text.limit x="4" y=(scale.y(limit) - 5.0) { "limit " (bytes(limit)) }
                }
                @if let Some(last) = samples.last() {
                    circle.end cx=(scale.x(last.milliseconds)) cy=(scale.y(last.resident)) r="4" {}
                }
                text x="4" y=(peak_label(&scale, peak, limit)) { "peak " (bytes(peak)) }
                text x="0" y=(base + 15.0) { "start" }
                text x=(WIDTH) y=(base + 15.0) text-anchor="end" {
                    @if is_killed { "killed" } @else { "end" } " after " (format!("{seconds:.1} s"))
                }
            }
            figcaption.faint {
                span.key.resident {} " resident memory of all supervised processes"
                @if has_group { " " span.key.group {} " memory of the cgroup, with cached files" }
            }
        }
    }
}

/// Below the line of the peak, where the limit has its label above.
fn peak_label(scale: &Scale, peak: u64, limit: Option<u64>) -> f64 {
    let above = scale.y(peak) - 5.0;
    let is_taken = limit.is_some_and(|limit| (scale.y(limit) - scale.y(peak)).abs() < 18.0);
    if is_taken || above < 10.0 {
        scale.y(peak) + 14.0
    } else {
        above
    }
}

fn numbers(memory: &Memory) -> Markup {
    let rows = [
        ("Of the machine", memory.total_bytes.map(bytes)),
        ("Still available", memory.available_bytes.map(bytes)),
    ];
    html! {
        table.facts {
            @for (name, value) in &rows { (parts::row(name, value.as_deref())) }
        }
    }
}

/// Where the program was while memory ran out.
fn places(timeline: &Timeline) -> Markup {
    let places: Vec<&TopLine> = timeline.on_top.iter().rev().take(PLACES).collect();
    html! {
        @if !places.is_empty() {
            h3 { "Where the program was while memory ran out" }
            table.facts {
                @for place in places.iter().rev() {
                    @if let Some(frame) = place.frames.first() {
                        tr {
                            th scope="row" { (format!("{:.1} s", place.milliseconds as f64 / 1000.0)) ", pid " (place.pid) }
                            td { code { (parts::text(&python_place(frame, Some("/")))) } }
                        }
                    }
                }
            }
        }
    }
}
