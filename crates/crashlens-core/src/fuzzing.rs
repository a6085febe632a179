//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.

use crate::{Report, messages, pasted};

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

/// Advisories in the OSV format that a person gives.
pub fn osv(bytes: &[u8]) {
    let _ = crate::known_issues::KnownIssues::default().with_osv(bytes);
}
