//! Prints the JSON schema of the report: `cargo xtask generate` keeps it in `crates/crashlens/schema`.

use std::io::{self, Write as _};

use crashlens_core::Report;

fn main() -> io::Result<()> {
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(Report))?;
    writeln!(io::stdout(), "{schema}")
}
