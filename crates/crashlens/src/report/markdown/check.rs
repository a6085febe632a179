//! What a check found, as Markdown.

use std::io::{self, Write};

use crashlens_core::Inspection;
use crashlens_core::hazard::Hazard;

use super::{cell, code, prose, write_block};
use crate::report::terminal::{file_for_people, sentence};
use crate::report::wording;

/// So many findings are told; issues have a limit of length.
const MOST_FINDINGS: usize = 50;
/// So many files of one.
const MOST_FILES: usize = 5;

/// Writes what one check found.
pub(super) fn write(inspection: &Inspection, out: &mut dyn Write) -> io::Result<()> {
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
            write_block("sh", &command.to_string(), out)?;
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
