//! Markdown, for an issue or a chat: what is written there is shown to strangers, and becomes markup.
//!
//! Text of a process, names of files and packages are somebody else's: they must not become markup. Home folders and the
//! names of users are masked.

mod check;
mod death;
mod owner;

use std::borrow::Cow;
use std::io::{self, Write};

use crashlens_core::Report;

use super::terminal::{clip, printable};

pub(crate) use owner::Owner;

/// Letters of one sentence.
const LONGEST: usize = 600;

/// Writes the deaths, or what was checked where there are none; the owner's home folder and name are masked.
pub(crate) fn write(report: &Report, owner: &Owner, out: &mut dyn Write) -> io::Result<()> {
    let report = owner.masked(report);
    if report.deaths.is_empty() && report.hangs.is_empty() && !report.inspections.is_empty() {
        report
            .inspections
            .iter()
            .try_for_each(|inspection| check::write(inspection, out))
    } else {
        death::write(&report, out)
    }
}

/// Lines to be copied, fenced by more backticks than they hold.
fn write_block(language: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let longest = text.split(|letter| letter != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    writeln!(out, "\n{fence}{language}")?;
    for line in text.lines() {
        writeln!(out, "{}", printable(line))?;
    }
    writeln!(out, "{fence}")
}

/// Foreign text as code, whatever it holds.
fn code(text: &str) -> String {
    let text = clip(&text.replace('`', "'"), LONGEST);
    format!("`{text}`")
}

/// Text in which backticks mark code and nothing else is markup.
fn prose(text: &str) -> String {
    let text = clip(&text.replace('\n', " "), LONGEST);
    let is_balanced = text.matches('`').count().is_multiple_of(2);
    // A run of several backticks is closed only by a run of the same length.
    if !is_balanced || text.contains("``") {
        return escaped(&text).replace('`', "\\`");
    }
    let pieces: Vec<Cow<'_, str>> = text
        .split('`')
        .enumerate()
        .map(|(index, piece)| match index % 2 {
            0 => Cow::Owned(escaped(piece)),
            _ => Cow::Borrowed(piece),
        })
        .collect();
    pieces.join("`")
}

/// The same within a table.
fn cell(text: &str) -> String {
    prose(text).replace('|', "\\|")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '~' if letters.peek() == Some(&'/') => escaped.push(letter),
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '*' | '_' | '[' | ']' | '~' => escaped.extend(['\\', letter]),
            // GitHub looks for names to call (`@name`), issues (`#1`, `GH-1`) and addresses (`http://`, `www.`) after it has read the
            // markup, so that neither a backslash nor an entity stops it
            // (<https://github.com/github/cmark-gfm/issues/181>). A comment parts the text.
            '@' | '#' => escaped.extend([&*letter.to_string(), PARTED]),
            '-' if escaped.ends_with("GH") => escaped.extend(["-", PARTED]),
            ':' | '.' if is_address(&escaped) => escaped.extend([PARTED, &*letter.to_string()]),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Nothing that is shown, between two letters.
const PARTED: &str = "<!-- -->";

/// Whether a `:` or `.` behind this makes it an address.
fn is_address(before: &str) -> bool {
    ["http", "https", "ftp", "www"]
        .iter()
        .any(|start| before.ends_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn a_check_becomes_a_page_for_an_issue() {
        let report = Report::of_inspections(vec![example::inspection(2)]);
        let mut page = Vec::new();
        write(&report, &Owner::new("/home/ada", "ada"), &mut page).unwrap();
        insta::assert_snapshot!(String::from_utf8(page).unwrap());
    }

    #[test]
    fn foreign_text_is_no_markup() {
        assert_eq!(
            prose("a `b_c` of <i> *x* @you"),
            "a `b_c` of &lt;i> \\*x\\* @<!-- -->you"
        );
        assert_eq!(
            prose("#1 GH-1 www.x http://x"),
            "#<!-- -->1 GH-<!-- -->1 www<!-- -->.x http<!-- -->://x"
        );
        assert_eq!(prose("one ` alone_"), "one \\` alone\\_");
        assert_eq!(prose("``` <b> `"), "\\`\\`\\` &lt;b> \\`");
        assert_eq!(cell("a | b"), "a \\| b");
        assert_eq!(code("x`y\u{1b}[0m"), "`x'y\u{fffd}[0m`");
    }
}
