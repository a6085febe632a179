//! What checks found as `JUnit` XML, for CI servers: a test case for each check that looked at something.
//!
//! maud writes it: its escapes are those of XML, and every element is closed. Characters that XML forbids never get
//! here: [`printable`] replaces them.

use std::io::{self, Write};

use crashlens_core::hazard::{Hazard, Severity};
use crashlens_core::inspection::{Check, InspectionKind};
use crashlens_core::{Gap, Inspection, Report};
use maud::{Markup, PreEscaped, html};

use super::terminal::{file_for_people, printable, sentence};
use super::wording;

/// Maximum number of files of one finding.
const MOST_FILES: usize = 20;

/// Writes every inspection as a suite; findings below `fail_on` are not failures.
pub(crate) fn write(
    report: &Report,
    fail_on: Option<Severity>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let suites: Vec<Suite<'_>> = report
        .inspections
        .iter()
        .map(|inspection| Suite::of(inspection, fail_on))
        .collect();
    let count = |of: &dyn Fn(&Suite<'_>) -> usize| suites.iter().map(of).sum::<usize>();
    let document = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        testsuites name="crashlens" tests=(count(&|it| it.tests())) failures=(count(&|it| it.failures()))
            errors=(count(&|it| it.errors())) skipped=(count(&|it| it.skipped())) {
            "\n"
            @for suite in &suites { (suite.write()) "\n" }
        }
    };
    writeln!(out, "{}", document.into_string())
}

/// One inspection and the checks of it that are test cases.
struct Suite<'a> {
    inspection: &'a Inspection,
    cases: Vec<Case<'a>>,
}

/// A check with what it found.
struct Case<'a> {
    check: &'a Check,
    failing: Vec<&'a Hazard>,
    others: Vec<&'a Hazard>,
}

impl<'a> Suite<'a> {
    fn of(inspection: &'a Inspection, fail_on: Option<Severity>) -> Self {
        let checks = inspection.checks.iter().filter(|check| !check.is_idle());
        let cases = checks.map(|check| {
            let found = inspection
                .findings
                .iter()
                .filter(|it| it.rule == check.rule);
            let (failing, others) =
                found.partition(|it| fail_on.is_some_and(|least| it.severity >= least));
            Case {
                check,
                failing,
                others,
            }
        });
        Self {
            inspection,
            cases: cases.collect(),
        }
    }

    fn tests(&self) -> usize {
        self.cases.len() + self.errors()
    }

    fn failures(&self) -> usize {
        self.cases
            .iter()
            .filter(|it| !it.failing.is_empty())
            .count()
    }

    /// Nothing to check is not a success.
    fn errors(&self) -> usize {
        usize::from(self.inspection.lacks.is_some())
    }

    fn skipped(&self) -> usize {
        self.cases.iter().filter(|it| it.is_skipped()).count()
    }

    /// A name for its test cases to begin with.
    fn name(&self) -> &'static str {
        match self.inspection.kind {
            InspectionKind::Environment => "crashlens.env",
            InspectionKind::Data => "crashlens.data",
            InspectionKind::Model => "crashlens.model",
        }
    }

    fn write(&self) -> Markup {
        let name = self.name();
        html! {
            testsuite name=(name) tests=(self.tests()) failures=(self.failures()) errors=(self.errors()) skipped=(self.skipped()) {
                "\n"
                properties {
                    "\n" property name="crashlens" value=(env!("CARGO_PKG_VERSION")) {}
                    "\n" property name="subject" value=(printable(&self.inspection.subject)) {}
                    "\n" property name="looked at" value=(printable(&wording::looked_at(self.inspection))) {}
                    "\n"
                }
                "\n"
                @if self.inspection.lacks.is_some() {
                    testcase classname=(name) name="anything to check" {
                        error message=(printable(&wording::nothing_found(self.inspection))) {}
                    }
                    "\n"
                }
                @for case in &self.cases { (case.write(name)) "\n" }
                @if !self.inspection.gaps.is_empty() {
                    system-out { @for gap in &self.inspection.gaps { (gap_line(gap)) } }
                    "\n"
                }
            }
        }
    }
}

impl Case<'_> {
    /// It was to look at something and could look at none of it.
    fn is_skipped(&self) -> bool {
        self.failing.is_empty() && self.check.saw_nothing()
    }

    fn write(&self, suite: &str) -> Markup {
        let name = format!("{} {}", self.check.rule, self.check.name);
        let headlines: Vec<&str> = self.failing.iter().map(|it| it.headline.as_str()).collect();
        html! {
            testcase classname=(suite) name=(printable(&name)) {
                @if !self.failing.is_empty() {
                    failure type=(severity(&self.failing)) message=(printable(&headlines.join("; "))) {
                        @for hazard in &self.failing { (text(hazard)) }
                    }
                } @else if self.is_skipped() {
                    skipped message=(format!("could not look at {}", printable(&self.check.blind.join("; ")))) {}
                }
                @if !self.others.is_empty() {
                    system-out { @for hazard in &self.others { (text(hazard)) } }
                }
            }
        }
    }
}

/// The worst of them; they stand in that order.
fn severity(failing: &[&Hazard]) -> &'static str {
    failing
        .first()
        .map_or("", |it| wording::severity(it.severity))
}

/// A finding in lines.
fn text(hazard: &Hazard) -> Markup {
    let mut lines = vec![format!(
        "{}: {}",
        wording::severity(hazard.severity),
        sentence(&hazard.headline)
    )];
    lines.extend(
        hazard
            .effects
            .iter()
            .map(|it| format!("- {}", sentence(&wording::effect(it)))),
    );
    lines.extend(
        hazard
            .grounds
            .iter()
            .map(|it| format!("- {}", sentence(&it.claim))),
    );
    let files = hazard.files.iter().take(MOST_FILES);
    lines.extend(files.map(|it| format!("- {}", file_for_people(it, None))));
    let more = hazard.files.len().saturating_sub(MOST_FILES) as u64 + hazard.more_files;
    if more > 0 {
        lines.push(format!("- and {more} more files"));
    }
    for remedy in &hazard.remedies {
        lines.push(format!("What to do: {}", sentence(&remedy.action)));
        let command = remedy.command.as_ref().map(ToString::to_string);
        lines.extend(
            command
                .iter()
                .flat_map(|it| it.lines())
                .map(|it| format!("  {it}")),
        );
    }
    html! { @for line in &lines { (printable(line)) "\n" } }
}

fn gap_line(gap: &Gap) -> Markup {
    html! { "Could not look at " (printable(&gap.part)) ": " (printable(&sentence(&gap.reason))) "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    fn page(inspection: Inspection, fail_on: Option<Severity>) -> String {
        let mut page = Vec::new();
        let report = Report::of_inspections(vec![inspection]);
        write(&report, fail_on, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn a_check_becomes_a_suite_with_a_case_for_each_rule() {
        let page = page(example::inspection(3), Some(Severity::CanCrash));
        insta::assert_snapshot!(page);
    }

    #[test]
    fn what_counts_as_a_failure_is_for_the_caller_to_say() {
        let failures = |fail_on| {
            let page = page(example::inspection(3), fail_on);
            page.matches("<failure").count()
        };
        assert_eq!(failures(Some(Severity::WillFail)), 1);
        assert_eq!(failures(Some(Severity::WorthKnowing)), 3);
        assert_eq!(failures(None), 0);
    }

    #[test]
    fn names_that_were_chosen_to_harm_are_text() {
        let page = page(example::hostile(), Some(Severity::CanCrash));
        assert!(!page.contains("<script"));
        assert!(!page.contains(|it: char| it.is_control() && it != '\n'));
    }
}
