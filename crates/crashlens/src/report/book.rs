//! The rule book in the terminal and as JSON.

use std::io::{self, Write};

use crashlens_core::rule::Rule;
use crashlens_core::rules::{FAMILIES, Family};
use serde::Serialize;

use super::terminal::{FAINT, PLAIN, Page, STRONG, View, write_markdown};

/// Name and version of the JSON form.
const SCHEMA: &str = "crashlens.rules/1";
/// Columns of a rule's id, and of the space behind it.
const ID_COLUMNS: usize = 10;

/// Writes the rules that `is_wanted`, by family.
pub(crate) fn write_list(
    is_wanted: &dyn Fn(&Rule) -> bool,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(out, view.columns);
    for family in &FAMILIES {
        let rules = family.rules.iter().filter(|rule| is_wanted(rule));
        for (index, rule) in rules.enumerate() {
            if index == 0 {
                page.heading(family.title)?;
            }
            let causes = causes_beside(rule);
            let id = format!("{:ID_COLUMNS$}", rule.id);
            page.hanging(2, &id, &[(STRONG, rule.name), (FAINT, &causes)])?;
            page.indented(ID_COLUMNS + 2, &[(PLAIN, &summary(rule))])?;
        }
    }
    page.blank()?;
    page.paragraph("`crashlens rules NAME` shows the page of one.")
}

/// Writes the page of one rule.
pub(crate) fn write_page(rule: &Rule, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(out, view.columns);
    page.blank()?;
    let family = family_of(rule).map_or("", |family| family.title);
    page.sentence(&[
        (STRONG, rule.name),
        (FAINT, &format!(" ({}, {})", rule.id, family)),
    ])?;
    for cause in rule.causes {
        page.indented(2, &[(PLAIN, &format!("{cause}: {}.", cause.meaning()))])?;
    }
    write_markdown(&mut page, body(rule))
}

/// The causes a rule may name, where that is not its name alone.
fn causes_beside(rule: &Rule) -> String {
    match rule.causes {
        [only] if only.word() == rule.name => String::new(),
        causes => {
            let words: Vec<&str> = causes.iter().map(|cause| cause.word()).collect();
            format!(" (names {})", words.join(", "))
        }
    }
}

/// One line: what the cause means where the rule is called after it, else the first sentence of what happened.
pub(crate) fn summary(rule: &Rule) -> String {
    let namesake = rule.causes.iter().find(|cause| cause.word() == rule.name);
    if namesake.is_none()
        && let Some(sentence) = first_sentence(rule)
    {
        return format!("{sentence}.");
    }
    let meaning = namesake.or(rule.causes.first());
    let mut letters = meaning.map_or("", |cause| cause.meaning()).chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

fn first_sentence(rule: &Rule) -> Option<String> {
    let section = rule.doc.split("## What happened").nth(1)?;
    let section = section.split("\n## ").next()?;
    let paragraph = section.trim_start().split("\n\n").next()?;
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let paragraph = words.join(" ");
    let sentence = match paragraph.find(". ") {
        Some(end) => paragraph.get(..end)?,
        None => &paragraph,
    };
    Some(sentence.trim_end_matches('.').to_owned()).filter(|sentence| !sentence.is_empty())
}

/// The page without its title.
pub(crate) fn body(rule: &Rule) -> &'static str {
    rule.doc.split_once('\n').map_or("", |(_, body)| body)
}

/// The chapter of a rule.
pub(crate) fn family_of(rule: &Rule) -> Option<&'static Family> {
    FAMILIES
        .iter()
        .find(|family| family.rules.iter().any(|other| other.id == rule.id))
}

#[derive(Serialize)]
struct Book<'a> {
    schema: &'static str,
    rules: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    name: &'a str,
    family: &'a str,
    causes: Vec<&'a str>,
    since: &'a str,
    summary: String,
    /// In Markdown.
    page: &'a str,
}

/// Writes rules as one document, each with its page.
pub(crate) fn write_json<'a>(
    rules: impl IntoIterator<Item = &'a Rule>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let entry = |rule: &'a Rule| Entry {
        id: rule.id,
        name: rule.name,
        family: family_of(rule).map_or("", |family| family.title),
        causes: rule.causes.iter().map(|cause| cause.word()).collect(),
        since: rule.since,
        summary: summary(rule),
        page: rule.doc,
    };
    let book = Book {
        schema: SCHEMA,
        rules: rules.into_iter().map(entry).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &book)?;
    writeln!(out)
}
