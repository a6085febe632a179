//! The forms of a report: what each is called, which command offers it, and who writes it.

use std::io::{self, Write};

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use crashlens_core::Report;

use super::markdown::Owner;
use super::terminal::{View, write_inspection, write_report};
use super::{html, json, junit, markdown, sarif};

/// Form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs: one document
    Json,
    /// For programs that share work out: a line of JSON for each file, and behind them what is known of all
    Jsonl,
    /// For code scanning: SARIF 2.1.0
    Sarif,
    #[value(help = "For CI servers: JUnit XML, a test case for each check")]
    Junit,
    /// For an issue or a chat: Markdown, home folder and user name masked
    Md,
    /// To look at and to pass on: one page without scripts, which `diagnose` reads back
    Html,
}

impl Format {
    /// Those of `run`, `attach` and `diagnose`.
    pub(crate) const OF_DEATHS: &[Self] = &[Self::Text, Self::Json, Self::Md, Self::Html];
    /// Those of `check`.
    pub(crate) const OF_CHECKS: &[Self] = &[
        Self::Text,
        Self::Json,
        Self::Jsonl,
        Self::Sarif,
        Self::Junit,
        Self::Md,
        Self::Html,
    ];
    /// Those of `rules`.
    pub(crate) const OF_RULES: &[Self] = &[Self::Text, Self::Json];

    /// Takes the names of these, and refuses others with the list.
    pub(crate) fn among(offered: &[Self]) -> impl TypedValueParser<Value = Self> {
        let names = offered.iter().filter_map(Self::to_possible_value);
        PossibleValuesParser::new(names).try_map(|name| Self::from_str(&name, false))
    }

    /// Writes a whole report as one document of JSON.
    pub(crate) fn write_json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
        json::write(report, out)
    }

    /// Writes a whole report.
    pub(super) fn write(self, report: &Report, view: &View, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text if is_of_check(report) => report
                .inspections
                .iter()
                .try_for_each(|inspection| write_inspection(inspection, view, out)),
            Self::Text => write_report(report, view, out),
            Self::Json => json::write(report, out),
            Self::Jsonl => json::write_line(report, out),
            Self::Sarif => sarif::write(report, out),
            Self::Junit => junit::write(report, view.fail_on, out),
            Self::Md => markdown::write(report, &Owner::of_this_process(), out),
            Self::Html => html::write(report, out),
        }
    }
}

/// Whether a report has nothing but what was checked.
fn is_of_check(report: &Report) -> bool {
    report.deaths.is_empty() && report.hangs.is_empty() && !report.inspections.is_empty()
}
