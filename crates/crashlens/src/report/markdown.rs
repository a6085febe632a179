//! What checks found as Markdown, for an issue or a chat.
//!
//! Names of files and packages are somebody else's text: they must not become markup. Home folders are masked, since
//! the page is made to be shown to strangers.

use std::borrow::Cow;
use std::io::{self, Write};

use crashlens_core::hazard::Hazard;
use crashlens_core::{Inspection, Report};

use super::terminal::{clip, file_for_people, printable, sentence};
use super::wording;

/// So many findings are told; issues have a limit of length.
const MOST_FINDINGS: usize = 50;
/// So many files of one.
const MOST_FILES: usize = 5;
/// Letters of one sentence.
const LONGEST: usize = 600;

/// Writes every inspection; `home` is masked.
pub(crate) fn write(report: &Report, home: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Vec::new();
    for inspection in &report.inspections {
        write_inspection(inspection, &mut text)?;
    }
    let text = without_homes(&String::from_utf8_lossy(&text), home);
    // A shell knows the sign for home only outside of quotes.
    out.write_all(text.replace("'~/", "~/'").as_bytes())
}

fn write_inspection(inspection: &Inspection, out: &mut dyn Write) -> io::Result<()> {
    let findings = &inspection.findings;
    let title = if findings.is_empty() {
        "nothing found".to_owned()
    } else {
        wording::tally(findings)
    };
    writeln!(out, "### crashlens check: {title}\n")?;
    for seen in &inspection.overview {
        writeln!(out, "- {}: {}", seen.what, prose(&seen.value))?;
    }
    writeln!(out, "- Looked at {}", wording::looked_at(inspection))?;
    for forecast in wording::forecasts(inspection) {
        writeln!(out, "- Memory: {}", prose(&forecast))?;
    }
    writeln!(out, "- crashlens {}", env!("CARGO_PKG_VERSION"))?;
    if findings.is_empty() {
        writeln!(out, "\n{}", wording::nothing_found(inspection))?;
    } else {
        writeln!(out, "\n| | what | whose | rule |\n|---|---|---|---|")?;
    }
    for hazard in findings.iter().take(MOST_FINDINGS) {
        let severity = wording::severity(hazard.severity);
        let headline = cell(&hazard.headline);
        writeln!(
            out,
            "| **{severity}** | {headline} | {} | {} |",
            cell(&whose(hazard)),
            hazard.rule
        )?;
    }
    for hazard in findings.iter().take(MOST_FINDINGS) {
        write_finding(hazard, out)?;
    }
    if findings.len() > MOST_FINDINGS {
        writeln!(out, "\nAnd {} more.", findings.len() - MOST_FINDINGS)?;
    }
    write_unseen(inspection, out)
}

fn whose(hazard: &Hazard) -> String {
    let packages = hazard.packages.iter().take(MOST_FILES);
    let packages: Vec<String> = packages
        .map(|it| format!("{} {}", it.name, it.version))
        .collect();
    packages.join(", ")
}

fn write_finding(hazard: &Hazard, out: &mut dyn Write) -> io::Result<()> {
    let severity = wording::severity(hazard.severity);
    writeln!(out, "\n#### {severity}: {}\n", prose(&hazard.headline))?;
    for ground in &hazard.grounds {
        writeln!(out, "- {}", prose(&sentence(&ground.claim)))?;
    }
    for file in hazard.files.iter().take(MOST_FILES) {
        writeln!(out, "- {}", code(&file_for_people(file, None)))?;
    }
    let more = hazard.files.len().saturating_sub(MOST_FILES) as u64 + hazard.more_files;
    if more > 0 {
        writeln!(out, "- and {more} more files")?;
    }
    if !hazard.refuted_by.is_empty() {
        writeln!(
            out,
            "- No hazard if: {}",
            prose(&sentence(&hazard.refuted_by))
        )?;
    }
    for remedy in &hazard.remedies {
        writeln!(out, "\n{}", prose(&sentence(&remedy.action)))?;
        if let Some(command) = &remedy.command {
            write_block(&command.to_string(), out)?;
        }
    }
    Ok(())
}

fn write_unseen(inspection: &Inspection, out: &mut dyn Write) -> io::Result<()> {
    if inspection.gaps.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n<details><summary>What could not be looked at</summary>\n"
    )?;
    for gap in inspection.gaps.iter().take(MOST_FINDINGS) {
        writeln!(
            out,
            "- {}: {}",
            prose(&gap.part),
            prose(&sentence(&gap.reason))
        )?;
    }
    writeln!(out, "\n</details>")
}

/// Lines to be copied, fenced by more backticks than they hold.
fn write_block(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let longest = text.split(|letter| letter != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    writeln!(out, "\n{fence}sh")?;
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
    if !is_balanced {
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
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            // A name behind an at sign calls somebody.
            '@' => escaped.push_str("&#64;"),
            '\\' | '*' | '_' | '[' | ']' | '#' => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// `~` in the place of home folders: that of this user, and whatever else looks like one.
fn without_homes(text: &str, home: &str) -> String {
    let mut text = text.to_owned();
    if home.len() > 1 {
        text = text.replace(&format!("{}/", home.trim_end_matches('/')), "~/");
    }
    let mut masked = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("/home/") {
        let (before, from_home) = rest.split_at(at);
        masked.push_str(before);
        let name = from_home.get("/home/".len()..).unwrap_or_default();
        let end = name.find(|letter: char| !(letter.is_alphanumeric() || "._-".contains(letter)));
        let is_top = !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '/');
        match end {
            Some(end) if is_top && end > 0 && name[end..].starts_with('/') => {
                masked.push('~');
                rest = &name[end..];
            }
            _ => {
                masked.push_str("/home/");
                rest = name;
            }
        }
    }
    masked.push_str(rest);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn a_check_becomes_a_page_for_an_issue() {
        let report = Report::of_inspections(vec![example::inspection(2)]);
        let mut page = Vec::new();
        write(&report, "/home/ada", &mut page).unwrap();
        insta::assert_snapshot!(String::from_utf8(page).unwrap());
    }

    #[test]
    fn foreign_text_is_no_markup() {
        assert_eq!(
            prose("a `b_c` of <i> *x* @you"),
            "a `b_c` of &lt;i> \\*x\\* &#64;you"
        );
        assert_eq!(prose("one ` alone_"), "one \\` alone\\_");
        assert_eq!(cell("a | b"), "a \\| b");
        assert_eq!(code("x`y\u{1b}[0m"), "`x'y\u{fffd}[0m`");
    }

    #[test]
    fn homes_are_masked_and_nothing_else() {
        assert_eq!(
            without_homes("/srv/me/venv, /home/ada/venv, /home/", "/srv/me"),
            "~/venv, ~/venv, /home/"
        );
        assert_eq!(without_homes("/mnt/home/ada/x", ""), "/mnt/home/ada/x");
    }
}
