//! What a check found, the worst first.
//!
//! Every finding stands once: its severity on the left, all else beside it. What was looked at comes before, what could not be looked at after.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use crashlens_core::files::Effect;
use crashlens_core::hazard::{Hazard, Severity};
use crashlens_core::inspection::{Check, Inspection, InspectionKind};
use crashlens_core::text::capitalised;

use super::names::{clip, file_for_people};
use super::page::{ALARM, FAINT, PLAIN, Page, STRONG, Span};
use super::why::{sentence, text_lines, warning};
use super::{Verbosity, View, write_gaps};
use crate::report::wording;

/// Columns of the severity, and of the space behind it.
const MARGIN: usize = 15;
/// So many findings are shown with all that belongs to them; of the others what is wrong and what to do.
const WHOLE: usize = 5;
/// So many are shown at all before the rest is counted.
const SHOWN: usize = 15;
/// So many grounds of one.
const GROUNDS_SHOWN: usize = 3;
/// So many files of one.
const FILES_SHOWN: usize = 2;
/// So many effects of one.
const EFFECTS_SHOWN: usize = 2;
/// So many where each is that of another format.
const FORMATS_SHOWN: usize = 4;
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
        // Of an environment everything is looked for; of files only what such files can have.
        let is_listed =
            |it: &&Check| inspection.kind == InspectionKind::Environment || !it.is_idle();
        for check in inspection.checks.iter().filter(is_listed) {
            write_check(&mut page, check)?;
        }
    }
    write_gaps(
        &mut page,
        "What could not be looked at",
        &inspection.gaps,
        view,
    )
}

/// What was looked at.
fn write_overview(page: &mut Page<'_>, inspection: &Inspection) -> io::Result<()> {
    for seen in &inspection.overview {
        write_label(page, (STRONG, &seen.what), &[(PLAIN, &seen.value)])?;
    }
    let amounts = wording::looked_at(inspection);
    write_label(page, (STRONG, "Looked at"), &[(PLAIN, &amounts)])?;
    for forecast in wording::forecasts(inspection) {
        write_label(page, (STRONG, "Memory"), &[(PLAIN, &forecast)])?;
    }
    Ok(())
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
    let rule = format!(" ({})", hazard.rule);
    write_label(
        page,
        severity(hazard.severity),
        &[(STRONG, &headline), (FAINT, &rule)],
    )?;
    let whose = whose(hazard, depth);
    if !whose.is_empty() {
        page.indented(MARGIN, &[(FAINT, &whose)])?;
    }
    for effect in effects_shown(&hazard.effects, depth) {
        let told = fitting(page, &wording::effect(effect), depth);
        page.indented(MARGIN, &[(PLAIN, &told)])?;
    }
    if depth != Depth::Short {
        write_grounds(page, hazard, depth)?;
    }
    write_remedies(page, hazard, depth)
}

fn write_grounds(page: &mut Page<'_>, hazard: &Hazard, depth: Depth) -> io::Result<()> {
    let most = if depth == Depth::Full {
        usize::MAX
    } else {
        GROUNDS_SHOWN
    };
    for ground in hazard.grounds.iter().take(most) {
        let claim = fitting(page, &ground.claim, depth);
        page.hanging(MARGIN, "- ", &[(PLAIN, &claim)])?;
    }
    if hazard.refuted_by.is_empty() {
        return Ok(());
    }
    let refuted = fitting(page, &hazard.refuted_by, depth);
    page.hanging(
        MARGIN,
        "- ",
        &[(PLAIN, "No hazard if: "), (PLAIN, &refuted)],
    )
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
        for line in remedy.command.iter().flat_map(text_lines) {
            page.line(MARGIN + 2, &[(STRONG, &line)])?;
        }
    }
    Ok(())
}

/// The worst effect is what matters most; where formats differ, the worst of each.
fn effects_shown(effects: &[Effect], depth: Depth) -> Vec<&Effect> {
    match depth {
        Depth::Full => effects.iter().collect(),
        Depth::Short => effects.iter().take(1).collect(),
        Depth::Whole if effects.iter().all(|effect| effect.formats.is_empty()) => {
            effects.iter().take(EFFECTS_SHOWN).collect()
        }
        Depth::Whole => {
            let mut told = Vec::new();
            let mut is_news = |effect: &&Effect| {
                let is_news = effect.formats.iter().any(|format| !told.contains(format));
                told.extend(&effect.formats);
                is_news || effect.formats.is_empty()
            };
            let news = effects.iter().filter(|effect| is_news(effect));
            news.take(FORMATS_SHOWN).collect()
        }
    }
}

/// `triton 3.7.1: triton/_C/libtriton.so and 3 more files`, without packages that the headline names already.
fn whose(hazard: &Hazard, depth: Depth) -> String {
    let (most_packages, most_files) = match depth {
        Depth::Full => (usize::MAX, usize::MAX),
        Depth::Whole => (PACKAGES_SHOWN, FILES_SHOWN),
        Depth::Short => (1, 1),
    };
    // NumPy is `numpy` to pip.
    let headline = hazard.headline.to_lowercase();
    let packages = hazard.packages.iter();
    let packages: Vec<String> = packages
        .map(|it| format!("{} {}", it.name, it.version))
        .filter(|package| !headline.contains(&package.to_lowercase()))
        .collect();
    let files: Vec<String> = hazard
        .files
        .iter()
        .filter(|file| depth == Depth::Full || !is_named(hazard, file))
        .map(|file| match depth {
            Depth::Full => file.clone(),
            Depth::Whole | Depth::Short => clip(&file_for_people(file, None), LONGEST_FILE),
        })
        .collect();
    let parts = [
        some_of(&packages, most_packages, 0, "packages"),
        some_of(&files, most_files, hazard.more_files, "files"),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(": ")
}

/// Whether the headline names a file, whole or from the folder of packages on.
fn is_named(hazard: &Hazard, file: &str) -> bool {
    let headline = &hazard.headline;
    headline.contains(file) || headline.contains(&file_for_people(file, None))
}

/// The first of some names, and how many more there are: of these, and of those without a name here.
fn some_of(names: &[String], most: usize, unnamed: u64, what: &str) -> String {
    let shown = names.get(..most).unwrap_or(names).join(", ");
    match names.len().saturating_sub(most) as u64 + unnamed {
        0 => shown,
        1 => format!("{shown} and 1 more"),
        more => format!("{shown} and {more} more {what}"),
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
    let style = match severity {
        Severity::WillFail => ALARM,
        Severity::CanCrash => WARNING,
        Severity::WorthKnowing => STRONG,
    };
    (style, wording::severity(severity))
}

/// What it comes to in one line.
fn verdict(inspection: &Inspection) -> String {
    match inspection.findings.first() {
        None => wording::nothing_found(inspection),
        Some(first) => format!(
            "{}. `crashlens rules {}` tells more.",
            wording::tally(&inspection.findings),
            first.rule
        ),
    }
}

/// `LNK001  undefined-symbols: 212 native files, nothing found`, and below it what that check looks for.
fn write_check(page: &mut Page<'_>, check: &Check) -> io::Result<()> {
    let outcome = match (check.found, check.scope.as_str()) {
        (0, "") if check.blind.is_empty() => "nothing to look at".to_owned(),
        (0, "") => "could not look".to_owned(),
        (0, scope) => format!("{scope}, nothing found"),
        (found, "") => format!("{found} found"),
        (found, scope) => format!("{scope}, {found} found"),
    };
    let outcome = format!(": {}", sentence(&outcome));
    let label = (PLAIN, check.rule.as_str());
    write_label(page, label, &[(STRONG, &check.name), (PLAIN, &outcome)])?;
    page.indented(MARGIN, &[(FAINT, &sentence(&capitalised(&check.asks)))])?;
    for blind in &check.blind {
        let blind = format!("Could not look at {}", sentence(blind));
        page.indented(MARGIN, &[(PLAIN, &blind)])?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "inspection_tests.rs"]
mod tests;
