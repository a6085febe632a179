//! What the process, its libraries and the interpreter said about the end.
//!
//! Responsible for finding such lines on standard error and in memory, for joining what belongs together, and
//! for the thread a message came from. What a message means is for the rules.

use crate::capture::{CrashCapture, Message, MessageKind, Signal};

mod forms;
mod speakers;

use forms::Form;
use speakers::Speakers;

/// Messages that are kept, the last ones.
const MOST_MESSAGES: usize = 64;
/// Lines that follow the first one of a message.
const MOST_FOLLOWING: usize = 8;
/// Longer messages are cut.
const LONGEST: usize = 4096;

/// The messages in what is known of the process, in the order they were written.
pub(crate) fn of(capture: &CrashCapture) -> Vec<Message> {
    let tail = capture.output.stderr.known();
    let lines: Vec<&str> = tail
        .iter()
        .flat_map(|tail| &tail.lines)
        .map(|line| visible(line))
        .collect();
    let mut found = read(&lines);
    let excess = found.len().saturating_sub(MOST_MESSAGES);
    found.drain(..excess);
    add_abort_message(capture, &mut found);
    add_fatal_log(capture, &mut found);
    keep_last_as_fatal(&mut found);
    Speakers::of(capture).assign(&mut found, &lines);
    found.into_iter().map(|found| found.message).collect()
}

/// A message and what its lines tell of the thread that wrote it.
struct Found {
    message: Message,
    /// The kernel's number of the thread.
    tid: Option<u32>,
    /// Lines it takes.
    length: usize,
}

/// Reads lines that may hold anything; what comes out is bounded.
pub(crate) fn read_everything(lines: &[&str]) {
    let lines: Vec<&str> = lines.iter().map(|line| visible(line)).collect();
    for found in read(&lines) {
        assert!(found.message.text.len() <= LONGEST && found.length <= 1 + MOST_FOLLOWING);
    }
}

/// What a terminal shows of a line: a progress bar goes back to the beginning and writes over itself.
fn visible(line: &str) -> &str {
    let line = line.trim_end_matches('\r');
    line.rsplit('\r').next().unwrap_or(line)
}

fn read(lines: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        let Some((form, words)) = forms::recognise(line) else {
            next += 1;
            continue;
        };
        let following = following(form, words.text, lines.get(next + 1..).unwrap_or_default());
        let mut text = words.text.trim_end().to_owned();
        for line in following {
            text.push('\n');
            text.push_str(line.trim_end());
        }
        text.truncate(text.floor_char_boundary(LONGEST));
        let length = 1 + following.len();
        found.push(Found {
            message: Message {
                kind: form.kind,
                text,
                thread: None,
                line: Some(next),
                fatal: form.fatal,
            },
            tid: words.tid,
            length,
        });
        next += length;
    }
    found
}

/// The lines behind a message that belong to it: its own details, and the rest of a sentence that goes on.
fn following<'a, 'b>(form: &Form, first: &str, lines: &'b [&'a str]) -> &'b [&'a str] {
    let mut length = 0;
    let mut last = first;
    for line in lines.iter().take(MOST_FOLLOWING) {
        let is_detail = form.details.as_ref().is_some_and(|it| it.is_match(line));
        if !is_detail && (forms::recognise(line).is_some() || !goes_on(last, line)) {
            break;
        }
        length += 1;
        last = line;
    }
    lines.get(..length).unwrap_or_default()
}

/// Whether `line` continues the sentence that `last` began. A frame of a traceback does not.
fn goes_on(last: &str, line: &str) -> bool {
    let is_frame = line.trim_start().starts_with(['@', '#', '*'])
        || line.trim_start().starts_with("File \"")
        || line.starts_with("Traceback ");
    let opened = last.matches(['(', '[', '{']).count();
    let closed = last.matches([')', ']', '}']).count();
    let is_open = last.trim_end().ends_with(',') || opened > closed;
    !line.trim().is_empty() && !is_frame && (is_open || line.starts_with([' ', '\t']))
}

/// Adds the C library's own words from memory, unless they are on standard error already.
fn add_abort_message(capture: &CrashCapture, found: &mut Vec<Found>) {
    let Some(text) = capture.testimony.abort_message.known() else {
        return;
    };
    let words = forms::recognise(text);
    let core = words
        .as_ref()
        .map_or(text.as_str(), |(_, words)| words.text);
    let is_known = |found: &Found| found.message.text.contains(core.trim());
    if found.iter().any(is_known) {
        return;
    }
    let kind = words.map_or(MessageKind::CLibrary, |(form, _)| form.kind);
    // Nothing clears it: after an abort that the program survived, it is old.
    let fatal = capture.ending.signal == Some(Signal::ABRT);
    let place = if fatal { found.len() } else { 0 };
    let abort = Found {
        message: Message {
            kind,
            text: text.clone(),
            thread: None,
            line: None,
            fatal,
        },
        tid: None,
        length: 0,
    };
    found.insert(place, abort);
}

/// Adds the line of a logger from memory, unless it is on standard error already.
fn add_fatal_log(capture: &CrashCapture, found: &mut Vec<Found>) {
    let Some(text) = capture.testimony.fatal_log.known() else {
        return;
    };
    let lines: Vec<&str> = text.lines().collect();
    let Some(mut last) = read(&lines).into_iter().next() else {
        return;
    };
    let is_known = |found: &Found| found.message.text.contains(last.message.text.trim());
    if found.iter().any(is_known) {
        return;
    }
    last.message.line = None;
    last.length = 0;
    // It was found on the stack of the thread that aborted.
    last.tid = capture.crashed_thread;
    found.push(last);
}

/// Of each kind, only the last can be the reason.
fn keep_last_as_fatal(found: &mut [Found]) {
    let mut seen = Vec::new();
    for found in found.iter_mut().rev() {
        let message = &mut found.message;
        if message.fatal && seen.contains(&message.kind) {
            message.fatal = false;
        } else if message.fatal {
            seen.push(message.kind);
        }
    }
}

#[cfg(test)]
mod tests;
