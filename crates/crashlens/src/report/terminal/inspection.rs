//! What a check found, the worst first.
//!
//! Every finding stands once: its severity on the left, all else beside it. What was looked at comes before, what could not be looked at after.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use crashlens_core::hazard::{Hazard, Severity};
use crashlens_core::inspection::{Check, Inspection};

use super::names::{clip, file_for_people};
use super::page::{ALARM, FAINT, PLAIN, Page, STRONG, Span};
use super::why::{sentence, warning};
use super::{Verbosity, View, write_gaps};

/// Columns of the severity, and of the space behind it.
const MARGIN: usize = 15;
/// So many findings are shown with all that belongs to them; of the others what is wrong and what to do.
const WHOLE: usize = 5;
/// So many are shown at all before the rest is counted.
const SHOWN: usize = 20;
/// So many grounds of one.
const GROUNDS_SHOWN: usize = 3;
/// So many files of one.
const FILES_SHOWN: usize = 2;
/// So many packages of one.
const PACKAGES_SHOWN: usize = 4;
/// Foreign text may make a sentence of any length; it takes so many lines before it is cut.
const SENTENCE_LINES: usize = 5;

/// Columns of a file's name before its middle is left out.
const LONGEST_FILE: usize = 120;

/// What can crash is no alarm yet.
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// How much of a finding is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// What is wrong and what to do.
    Short,
    /// With what it rests on.
    Whole,
    /// With everything.
    Full,
}

/// Writes what one check found.
pub(crate) fn write_inspection(
    inspection: &Inspection,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(out, view.columns);
    if view.verbosity != Verbosity::Quiet {
        write_overview(&mut page, inspection)?;
    }
    write_findings(&mut page, &inspection.findings, view)?;
    if view.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    page.blank()?;
    page.sentence(&[(STRONG, &verdict(inspection))])?;
    if view.verbosity == Verbosity::Full {
        page.heading("Checks")?;
        for check in &inspection.checks {
            write_check(&mut page, check)?;
        }
    }
    write_blind(&mut page, inspection, view)
}

/// What was looked at.
fn write_overview(page: &mut Page<'_>, inspection: &Inspection) -> io::Result<()> {
    for seen in &inspection.overview {
        write_label(page, (STRONG, &seen.what), &[(PLAIN, &seen.value)])?;
    }
    let amounts = inspection.looked_at.iter();
    let mut amounts: Vec<String> = amounts.map(|it| counted(it.count, &it.what)).collect();
    amounts.push("the machine".to_owned());
    let checks = counted(inspection.checks.len() as u64, "checks");
    let amounts = format!("{}: {checks}", amounts.join(", "));
    write_label(page, (STRONG, "Looked at"), &[(PLAIN, &amounts)])
}

/// Wrapped text behind a label.
fn write_label(page: &mut Page<'_>, label: Span<'_>, spans: &[Span<'_>]) -> io::Result<()> {
    let (style, label) = label;
    let label = format!("{:MARGIN$}", clip(label, MARGIN - 1));
    page.labelled(MARGIN, (style, &label), spans)
}

fn write_findings(page: &mut Page<'_>, findings: &[Hazard], view: &View) -> io::Result<()> {
    let shown = if view.verbosity == Verbosity::Full {
        findings.len()
    } else {
        SHOWN
    };
    for (index, hazard) in findings.iter().take(shown).enumerate() {
        let depth = match view.verbosity {
            Verbosity::Full => Depth::Full,
            Verbosity::Folded if index < WHOLE => Depth::Whole,
            Verbosity::Folded | Verbosity::Quiet => Depth::Short,
        };
        if index > 0 || view.verbosity != Verbosity::Quiet {
            page.blank()?;
        }
        write_finding(page, hazard, depth)?;
    }
    if findings.len() > shown {
        let more = findings.len() - shown;
        page.blank()?;
        page.indented(
            MARGIN,
            &[(PLAIN, &format!("and {more} more (-v shows them)"))],
        )?;
    }
    Ok(())
}

fn write_finding(page: &mut Page<'_>, hazard: &Hazard, depth: Depth) -> io::Result<()> {
    let headline = fitting(page, &hazard.headline, depth);
    write_label(page, severity(hazard.severity), &[(STRONG, &headline)])?;
    page.indented(MARGIN, &[(FAINT, &whose(hazard, depth))])?;
    if depth != Depth::Short {
        let most = if depth == Depth::Full {
            usize::MAX
        } else {
            GROUNDS_SHOWN
        };
        for ground in hazard.grounds.iter().take(most) {
            let claim = fitting(page, &ground.claim, depth);
            page.hanging(MARGIN, "- ", &[(PLAIN, &claim)])?;
        }
        if !hazard.refuted_by.is_empty() {
            let refuted = fitting(page, &hazard.refuted_by, depth);
            page.hanging(
                MARGIN,
                "- ",
                &[(PLAIN, "No hazard if: "), (PLAIN, &refuted)],
            )?;
        }
    }
    write_remedies(page, hazard, depth)
}

fn write_remedies(page: &mut Page<'_>, hazard: &Hazard, depth: Depth) -> io::Result<()> {
    let most = if depth == Depth::Full { usize::MAX } else { 1 };
    for (index, remedy) in hazard.remedies.iter().take(most).enumerate() {
        let lead = if index == 0 { "Do first: " } else { "Or: " };
        let action = fitting(page, &remedy.action, depth);
        let warning = warning(remedy.risk).filter(|_| depth == Depth::Full);
        let warning = warning.map_or_else(String::new, |text| format!(" {text}"));
        page.indented(
            MARGIN,
            &[(STRONG, lead), (PLAIN, &action), (FAINT, &warning)],
        )?;
        for line in remedy.command.iter().flat_map(|command| command.lines()) {
            page.line(MARGIN + 2, &[(STRONG, line)])?;
        }
    }
    Ok(())
}

/// `triton 3.7.1, tensorflow-cpu 2.21.0: triton/_C/libtriton.so and 3 more files (LNK001)`
fn whose(hazard: &Hazard, depth: Depth) -> String {
    let (most_packages, most_files) = match depth {
        Depth::Full => (usize::MAX, usize::MAX),
        Depth::Whole => (PACKAGES_SHOWN, FILES_SHOWN),
        Depth::Short => (1, 1),
    };
    let packages = hazard
        .packages
        .iter()
        .map(|it| format!("{} {}", it.name, it.version));
    let files = hazard.files.iter().map(|file| match depth {
        Depth::Full => file.clone(),
        Depth::Whole | Depth::Short => clip(&file_for_people(file, None), LONGEST_FILE),
    });
    let parts = [
        some_of(packages, most_packages, "packages"),
        some_of(files, most_files, "files"),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{} ({})", parts.join(": "), hazard.rule)
        .trim_start()
        .to_owned()
}

/// The first of some names, and how many more there are.
fn some_of(names: impl ExactSizeIterator<Item = String>, most: usize, what: &str) -> String {
    let more = names.len().saturating_sub(most);
    let shown: Vec<String> = names.take(most).collect();
    match more {
        0 => shown.join(", "),
        _ => format!(
            "{} and {}",
            shown.join(", "),
            counted(more as u64, &format!("more {what}"))
        ),
    }
}

/// A sentence with its end, cut where it is of no sensible length.
fn fitting(page: &Page<'_>, text: &str, depth: Depth) -> String {
    let text = text.replace('\n', " ");
    if depth == Depth::Full {
        return sentence(&text);
    }
    let room = page.width().saturating_sub(MARGIN + 2) * SENTENCE_LINES;
    sentence(&clip(&text, room))
}

fn severity(severity: Severity) -> Span<'static> {
    match severity {
        Severity::WillFail => (ALARM, "will fail"),
        Severity::CanCrash => (WARNING, "can crash"),
        Severity::WorthKnowing => (STRONG, "worth knowing"),
    }
}

/// What it comes to in one line.
fn verdict(inspection: &Inspection) -> String {
    let made = inspection
        .checks
        .iter()
        .filter(|check| !check.scope.is_empty());
    let Some(first) = inspection.findings.first() else {
        let made = counted(made.count() as u64, "checks");
        return format!("Nothing found: {made} had something to look at.");
    };
    let of = |severity| {
        let of = inspection
            .findings
            .iter()
            .filter(|it| it.severity == severity);
        of.count()
    };
    let counts: Vec<String> = [
        Severity::WillFail,
        Severity::CanCrash,
        Severity::WorthKnowing,
    ]
    .into_iter()
    .filter(|severity| of(*severity) > 0)
    .map(|it| format!("{} {}", of(it), severity(it).1))
    .collect();
    format!(
        "{}. `crashlens rules {}` tells more.",
        counts.join(", "),
        first.rule
    )
}

/// `LNK001 undefined-symbols  212 native files: nothing`
fn write_check(page: &mut Page<'_>, check: &Check) -> io::Result<()> {
    let outcome = match (check.found, check.scope.is_empty()) {
        (0, true) => "nothing to look at".to_owned(),
        (0, false) => format!("{}: nothing found", check.scope),
        (found, _) => format!("{}: {found} found", check.scope),
    };
    write_label(
        page,
        (PLAIN, &check.rule),
        &[(STRONG, &check.name), (PLAIN, ": "), (PLAIN, &check.asks)],
    )?;
    page.indented(MARGIN, &[(FAINT, &sentence(&outcome))])?;
    for blind in &check.blind {
        page.indented(
            MARGIN,
            &[(FAINT, &format!("Could not look at {}", sentence(blind)))],
        )?;
    }
    Ok(())
}

/// What could not be looked at, by anybody or by single checks.
fn write_blind(page: &mut Page<'_>, inspection: &Inspection, view: &View) -> io::Result<()> {
    write_gaps(page, "What could not be looked at", &inspection.gaps, view)
}

/// `1 package`, `2 packages`.
fn counted(count: u64, plural: &str) -> String {
    let what = if count == 1 {
        plural.trim_end_matches('s')
    } else {
        plural
    };
    format!("{count} {what}")
}
