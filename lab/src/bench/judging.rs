//! How long the rules take, as the benchmark of `crashlens-core` measures it in its own process.

use anyhow::Result;

use super::scenarios::Table;
use crate::{command, workspace};

pub const NAME: &str = "rules";

pub fn table() -> Result<Table> {
    let lines = command::output(workspace::cargo().args([
        "bench",
        "--quiet",
        "--package",
        "crashlens-core",
        "--bench",
        "judge",
    ]))?;
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    Ok(Table {
        title: "From facts to a diagnosis".to_owned(),
        heading: ["what", "count", "median ms", "worst ms"]
            .map(str::to_owned)
            .to_vec(),
        rows: lines.lines().map(cells).collect(),
    })
}
