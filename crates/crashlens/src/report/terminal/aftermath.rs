//! What was found in the environment after a death, as far as it bears on the death.

use std::io;

use crashlens_core::hazard::Hazard;
use crashlens_core::remedy::Crashlens;
use crashlens_core::text::capitalised;
use crashlens_core::{Inspection, Report};

use super::names::clip;
use super::page::{FAINT, PLAIN, Page, STRONG};
use super::why::{sentence, text_lines};
use super::{Verbosity, View};
use crate::report::wording;

/// So many hazards are told with a death.
const SHOWN: usize = 3;
/// A headline may quote foreign text; it takes so many lines before it is cut.
const HEADLINE_LINES: usize = 4;

/// Writes the hazards that bear on a death, and in one line that there are others.
pub(super) fn write(page: &mut Page<'_>, report: &Report, view: &View) -> io::Result<()> {
    if view.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    for (index, inspection) in report.inspections.iter().enumerate() {
        let told: Vec<_> = report.related_to_deaths(index).take(SHOWN).collect();
        let others = inspection.findings.len() - told.len();
        page.section(Some("Found in the environment"), |page| {
            for hazard in &told {
                let is_told = is_first_step(report, hazard);
                write_hazard(page, hazard, is_told)?;
            }
            write_others(page, inspection, told.len(), others)
        })?;
    }
    Ok(())
}

/// Whether a death says already to do this first.
fn is_first_step(report: &Report, hazard: &Hazard) -> bool {
    let findings = report
        .deaths
        .iter()
        .filter_map(|it| it.diagnosis.findings.first());
    let mut steps = findings.filter_map(|finding| finding.remedies.first());
    steps.any(|step| Some(step) == hazard.remedies.first())
}

fn write_hazard(page: &mut Page<'_>, hazard: &Hazard, is_told: bool) -> io::Result<()> {
    let severity = capitalised(wording::severity(hazard.severity));
    let room = page.width().saturating_sub(6) * HEADLINE_LINES;
    let headline = sentence(&clip(&hazard.headline.replace('\n', " "), room));
    page.item_of(&[
        (STRONG, &format!("{severity}: ")),
        (PLAIN, &headline),
        (FAINT, &format!(" ({})", hazard.rule)),
    ])?;
    if let Some(remedy) = hazard.remedies.first().filter(|_| !is_told) {
        let action = sentence(&clip(&remedy.action, room));
        page.indented(4, &[(PLAIN, "What to do: "), (PLAIN, &action)])?;
        for line in remedy.command.iter().flat_map(text_lines) {
            page.line(6, &[(STRONG, &line)])?;
        }
    }
    Ok(())
}

/// What else a check would tell, in one line.
fn write_others(
    page: &mut Page<'_>,
    inspection: &Inspection,
    told: usize,
    others: usize,
) -> io::Result<()> {
    if others == 0 {
        return Ok(());
    }
    let check = Crashlens::CheckEnvironment(inspection.subject.clone());
    let check = format!("`{check}`");
    let rest = match (told, others) {
        (0, 1) => "finds something that does not seem to bear on this death.".to_owned(),
        (0, others) => format!("finds {others} things that do not seem to bear on this death."),
        (_, 1) => "finds one more thing.".to_owned(),
        (_, others) => format!("finds {others} more things."),
    };
    page.item(&format!("{check} {rest}"))
}
