//! The forms that messages have: facts about the world, in `data/messages.toml`.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde::Deserialize;

use crate::capture::MessageKind;
use crate::embedded;

/// One form.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) kind: MessageKind,
    pub(super) fatal: bool,
    /// Lines that follow and belong to the message.
    pub(super) details: Option<Regex>,
    pattern: Regex,
}

/// What a line of some form says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words<'line> {
    pub(super) text: &'line str,
    pub(super) tid: Option<u32>,
}

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    form: Vec<Entry>,
}

/// An entry of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    kind: MessageKind,
    pattern: String,
    fatal: bool,
    details: Option<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    pub(super) source: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    pub(super) seen: String,
}

impl Table {
    pub(super) fn read() -> Vec<Entry> {
        let table: Self = embedded::table(include_str!("../../data/messages.toml"));
        table.form
    }
}

struct Forms {
    any: RegexSet,
    forms: Vec<Form>,
}

static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let entries = Table::read();
    Forms {
        any: embedded::regex_set(entries.iter().map(|entry| &entry.pattern)),
        forms: entries.iter().map(form).collect(),
    }
});

fn form(entry: &Entry) -> Form {
    Form {
        kind: entry.kind,
        fatal: entry.fatal,
        details: entry.details.as_deref().map(embedded::regex),
        pattern: embedded::regex(&entry.pattern),
    }
}

/// How much of a line is looked at.
const LOOKED_AT: usize = 8192;

/// The form of a line, and what it says.
pub(super) fn recognise(line: &str) -> Option<(&'static Form, Words<'_>)> {
    let line = &line[..line.floor_char_boundary(LOOKED_AT)];
    let first = FORMS.any.matches(line).into_iter().next()?;
    let form = FORMS.forms.get(first)?;
    let found = form.pattern.captures(line)?;
    let text = found.name("text").or_else(|| found.get(0))?.as_str();
    let tid = found.name("tid").and_then(|tid| tid.as_str().parse().ok());
    Some((form, Words { text, tid }))
}
