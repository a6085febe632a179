//! The rule book in the terminal and as JSON: causes of death first, then what a check looks for.

use std::io::{self, Write};

use crashlens_core::book::{Family, Kind, Rule, families};
use serde::Serialize;

use super::terminal::{FAINT, PLAIN, Page, STRONG, View, write_markdown};

/// Name and version of the JSON form.
const SCHEMA: &str = "crashlens.rules/1";
/// Columns of a rule's id, and of the space behind it.
const ID_COLUMNS: usize = 10;

/// Writes the rules that `is_wanted`, by chapter.
pub(crate) fn write_list(
    is_wanted: &dyn Fn(&Rule) -> bool,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(out, view.columns);
    for family in families() {
        let rules = family.rules.iter().filter(|rule| is_wanted(rule));
        for (index, rule) in rules.enumerate() {
            if index == 0 {
                page.heading(&title(family))?;
            }
            let causes = causes_beside(rule);
            let id = format!("{:ID_COLUMNS$}", rule.id);
            page.hanging(2, &id, &[(STRONG, rule.name), (FAINT, &causes)])?;
            page.indented(ID_COLUMNS + 2, &[(PLAIN, rule.summary)])?;
        }
    }
    page.blank()?;
    page.paragraph("`crashlens rules NAME` shows the page of one.")
}

/// Writes the page of one rule.
pub(crate) fn write_page(rule: &Rule, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(out, view.columns);
    page.blank()?;
    page.sentence(&[
        (STRONG, rule.name),
        (FAINT, &format!(" ({}, {})", rule.id, family_of(rule))),
    ])?;
    for cause in rule.causes {
        page.indented(2, &[(PLAIN, &format!("{cause}: {}.", cause.meaning()))])?;
    }
    write_markdown(&mut page, body(rule))
}

/// The title of a chapter.
pub(crate) fn title(family: &Family) -> String {
    match family.rules.first().map(|rule| rule.kind()) {
        Some(Kind::Hazard | Kind::File) => format!("Before the crash: {}", family.title),
        Some(Kind::Death) | None => family.title.to_owned(),
    }
}

/// The title of a rule's family.
pub(crate) fn family_of(rule: &Rule) -> &'static str {
    rule.family().map_or("", |family| family.title)
}

/// The page of a rule without its title.
pub(crate) fn body(rule: &Rule) -> &'static str {
    rule.doc.split_once('\n').map_or("", |(_, body)| body)
}

/// The causes a rule may name, where that is not its name alone.
fn causes_beside(rule: &Rule) -> String {
    match rule.causes {
        [] => String::new(),
        [only] if only.word() == rule.name => String::new(),
        causes => {
            let words: Vec<&str> = causes.iter().map(|cause| cause.word()).collect();
            let verb = match rule.kind() {
                Kind::Death => "names",
                Kind::Hazard | Kind::File => "leads to",
            };
            format!(" ({verb} {})", words.join(", "))
        }
    }
}

#[derive(Serialize)]
struct Book<'a> {
    schema: &'static str,
    rules: Vec<Record<'a>>,
}

#[derive(Serialize)]
struct Record<'a> {
    id: &'a str,
    name: &'a str,
    /// What it judges: a death, or an environment before one.
    kind: Kind,
    family: &'a str,
    causes: Vec<&'a str>,
    since: &'a str,
    summary: &'a str,
    /// In Markdown.
    page: &'a str,
}

/// Writes rules as one document, each with its page.
pub(crate) fn write_json(
    rules: impl IntoIterator<Item = &'static Rule>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let record = |rule: &'static Rule| Record {
        id: rule.id,
        name: rule.name,
        kind: rule.kind(),
        family: family_of(rule),
        causes: rule.causes.iter().map(|cause| cause.word()).collect(),
        since: rule.since,
        summary: rule.summary,
        page: rule.doc,
    };
    let book = Book {
        schema: SCHEMA,
        rules: rules.into_iter().map(record).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &book)?;
    writeln!(out)
}
