//! The report as JSON.

use std::io::{self, Write};

use crashlens_core::Report;

/// Writes the report as one document, indented for those who read it with their eyes.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}

/// Writes the report on one line.
pub(crate) fn write_line(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, report)?;
    writeln!(out)
}
