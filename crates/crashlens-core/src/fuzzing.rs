//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.

use crate::report::page;
use crate::survey::{Distribution, Interpreter};
use crate::{Observed, Report, Survey, messages, pasted, secrets};

/// A name out of a symbol table.
pub fn demangle(bytes: &[u8]) {
    crate::demangle(&String::from_utf8_lossy(bytes));
}

/// Text that a program wrote to standard error.
pub fn messages(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.split('\n').collect();
    messages::read_everything(&lines);
}

/// Text that a person pasted: it is read and judged.
pub fn pasted(bytes: &[u8]) {
    if let Ok(capture) = pasted::read(bytes) {
        Report::of_capture(&capture);
    }
}

/// A page of HTML with a report in it, from a stranger.
///
/// # Panics
///
/// If a report that was read is not the same when it is written and read again.
pub fn report_page(bytes: &[u8]) {
    if let Ok(report) = page::read(bytes) {
        let json = serde_json::to_string(&report).unwrap_or_default();
        let again = page::read(page::element(&json).as_bytes());
        let again = again.map(|report| serde_json::to_string(&report).unwrap_or_default());
        assert_eq!(again.ok(), Some(json));
    }
}

/// Lines and arguments of which secrets are masked.
///
/// # Panics
///
/// If masking what was masked changes it.
pub fn secrets(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let masked = secrets::mask_line(&text);
    assert_eq!(secrets::mask_line(&masked), masked);
    let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let masked = secrets::mask_lines(&lines);
    assert_eq!(secrets::mask_lines(&masked), masked);
    let masked = secrets::mask_command(&lines);
    assert_eq!(secrets::mask_command(&masked), masked);
    let variables = lines.iter().filter_map(|line| line.split_once('='));
    secrets::visible_variables(variables);
    for line in &lines {
        secrets::hidden_by_name(line);
        secrets::announces_secret(line);
        secrets::mask_value(line);
        secrets::mask_code(line);
    }
}

/// Advisories in the OSV format that a person gives.
pub fn osv(bytes: &[u8]) {
    let _ = crate::known_issues::KnownIssues::default().with_osv(bytes);
}

/// A line of `Requires-Dist`, and whether it applies.
pub fn requirement(bytes: &[u8]) {
    let asking = Distribution {
        requires: vec![String::from_utf8_lossy(bytes).into_owned()],
        ..Distribution::default()
    };
    let python = Interpreter {
        version: "3.11.7".to_owned(),
        ..Interpreter::default()
    };
    let survey = Survey {
        python: Observed::Known(python),
        ..Survey::default()
    };
    survey.unmet(&asking);
    asking.optional_limits();
}
