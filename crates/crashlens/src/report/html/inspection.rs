//! What a check found, as a page: findings by severity, what to do about each, and what was looked at.

use crashlens_core::Inspection;
use crashlens_core::hazard::{Hazard, Severity};
use crashlens_core::inspection::{Check, InspectionKind};
use crashlens_core::remedy::Crashlens;
use crashlens_core::text::{capitalised, plural};
use maud::{Markup, html};

use super::parts;
use crate::report::terminal::{sentence, warning};
use crate::report::wording;

/// Findings on the page; the JSON has all of them.
const MOST_FINDINGS: usize = 300;
/// Files of one finding that stand open, and that are on the page at all.
const OPEN_FILES: usize = 3;
const MOST_FILES: usize = 100;

/// Writes inspections.
pub(super) fn write_all(inspections: &[Inspection]) -> Markup {
    html! { @for inspection in inspections { article { (write(inspection)) } } }
}

/// What the page is called.
pub(super) fn title(inspection: &Inspection) -> String {
    let found = match inspection.findings.as_slice() {
        [] => "nothing found".to_owned(),
        findings => wording::tally(findings),
    };
    format!("{}: {found}", command(inspection))
}

fn command(inspection: &Inspection) -> &'static str {
    match inspection.kind {
        InspectionKind::Environment => "crashlens check",
        InspectionKind::Data => "crashlens check data",
        InspectionKind::Model => "crashlens check model",
    }
}

fn write(inspection: &Inspection) -> Markup {
    let findings = &inspection.findings;
    let severities = [
        Severity::WillFail,
        Severity::CanCrash,
        Severity::WorthKnowing,
    ];
    let of = |severity| {
        findings
            .iter()
            .filter(move |it| it.severity == severity)
            .count()
    };
    html! {
        header.top {
            p.badges {
                @for severity in severities {
                    @if of(severity) > 0 {
                        span.badge.(class(severity)) { (of(severity)) " " (wording::severity(severity)) }
                    }
                }
                @if findings.is_empty() { span.badge.ok { "nothing found" } }
                span { (command(inspection)) }
            }
            h1.lead { (parts::text(&inspection.subject)) }
        }
        main {
            (overview(inspection))
            @if findings.is_empty() {
                section.verdict.open { p { (parts::marked(&wording::nothing_found(inspection))) } }
            }
            @for hazard in findings.iter().take(MOST_FINDINGS) { section { (finding(hazard)) } }
            @if findings.len() > MOST_FINDINGS {
                section { p { "and " (findings.len() - MOST_FINDINGS) " more findings" } }
            }
            (parts::gaps("What could not be looked at", &inspection.gaps))
            (checks(inspection))
        }
    }
}

fn overview(inspection: &Inspection) -> Markup {
    html! {
        section {
            table.facts {
                @for seen in &inspection.overview { (parts::row(&seen.what, Some(&seen.value))) }
                (parts::row("Looked at", Some(&wording::looked_at(inspection))))
                @for forecast in wording::forecasts(inspection) { (parts::row("Memory", Some(&forecast))) }
            }
        }
    }
}

/// One finding.
pub(super) fn finding(hazard: &Hazard) -> Markup {
    let packages = hazard.packages.iter();
    let packages: Vec<String> = packages
        .map(|it| format!("{} {}", it.name, it.version))
        .collect();
    html! {
        div.hazard {
            p.confidence.(class(hazard.severity)) { (wording::severity(hazard.severity)) }
            h2 { (parts::marked(&sentence(&hazard.headline))) }
            @if !packages.is_empty() {
                p.chips { @for package in &packages { span.chip { (parts::text(package)) } " " } }
            }
            ul.plain {
                @for effect in &hazard.effects { li { (parts::marked(&sentence(&wording::effect(effect)))) } }
                @for ground in &hazard.grounds { li { (parts::marked(&sentence(&ground.claim))) } }
                @if !hazard.refuted_by.is_empty() {
                    li { strong { "False positive if: " } (parts::marked(&sentence(&hazard.refuted_by))) }
                }
            }
            (files(hazard))
            @for (index, remedy) in hazard.remedies.iter().enumerate() {
                div.remedy {
                    p {
                        strong { @if index == 0 { "Do first: " } @else { "Or: " } }
                        (parts::marked(&sentence(&remedy.action)))
                    }
                    @if let Some(command) = &remedy.command { (parts::command(&command.to_string())) }
                    @if let Some(warning) = warning(remedy.risk) { p.risk { (warning) } }
                }
            }
            p.rule {
                "Rule " (parts::text(&hazard.rule)) ": "
                code { (parts::text(&Crashlens::Rule(hazard.name.clone()).to_string())) }
            }
        }
    }
}

fn files(hazard: &Hazard) -> Markup {
    let (open, rest) = hazard.files.split_at(hazard.files.len().min(OPEN_FILES));
    let shown = rest.get(..MOST_FILES).unwrap_or(rest);
    let more = (rest.len() - shown.len()) as u64 + hazard.more_files;
    html! {
        @if !open.is_empty() {
            ul.files { @for file in open { li { code { (parts::text(file)) } } } }
        }
        @if !rest.is_empty() {
            details {
                summary { (plural(rest.len() as u64 + hazard.more_files, "more file")) }
                ul.files {
                    @for file in shown { li { code { (parts::text(file)) } } }
                    @if more > 0 { li { "and " (more) " more" } }
                }
            }
        } @else if more > 0 {
            p.faint { "and " (plural(more, "more file")) }
        }
    }
}

fn checks(inspection: &Inspection) -> Markup {
    let is_listed = |it: &&Check| inspection.kind == InspectionKind::Environment || !it.is_idle();
    let checks: Vec<&Check> = inspection.checks.iter().filter(is_listed).collect();
    html! {
        section {
            details {
                summary { "All " (plural(checks.len(), "check")) }
                table.checks {
                    thead { tr { th { "Rule" } th { "Looks for" } th { "Looked at" } th { "Found" } } }
                    tbody { @for check in &checks { (row(check)) } }
                }
            }
        }
    }
}

fn row(check: &Check) -> Markup {
    let scope = match (check.scope.as_str(), check.blind.is_empty()) {
        ("", true) => "nothing to look at",
        ("", false) => "could not look",
        (scope, _) => scope,
    };
    html! {
        tr.hit[check.found > 0] {
            td { (parts::text(&check.rule)) " " (parts::text(&check.name)) }
            td { (parts::marked(&capitalised(&check.asks))) }
            td {
                (parts::text(scope))
                @for blind in &check.blind { " " span.faint { "Could not look at " (parts::text(blind)) "." } }
            }
            td { (check.found) }
        }
    }
}

fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::WillFail => "bad",
        Severity::CanCrash => "warn",
        Severity::WorthKnowing => "note",
    }
}
