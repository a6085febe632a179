//! The report as JSON, and the schema of that form.

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

/// The JSON schema of [`Report`], as it is kept in `schema/report.v1.json`.
pub(crate) fn schema() -> String {
    let schema = schemars::schema_for!(Report);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_schema_is_fresh() {
        let committed = include_str!("../../schema/report.v1.json");
        assert_eq!(
            committed,
            super::schema(),
            "run `cargo run -- __generate schema > crates/crashlens/schema/report.v1.json`"
        );
    }
}
