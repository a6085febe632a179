//! Licences, bans, sources and advisories of the dependencies, by cargo-deny.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::Step;
use crate::tools::Tool;
use crate::{command, workspace};

const DENY: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
    features: &[],
};

/// Checks everything that needs no database, and the advisories where theirs can be fetched.
pub fn check() -> Result<Step> {
    let deny = DENY.installed()?;
    command::succeed(deny_check(&deny).args(["licenses", "bans", "sources"]))?;
    let fetched = Command::new(&deny)
        .args(["fetch", "db"])
        .current_dir(workspace::root())
        .output()
        .context("cannot start cargo-deny")?;
    if !fetched.status.success() {
        println!("advisories were not checked: their database cannot be fetched here");
        return Ok(Step::Passed);
    }
    command::succeed(deny_check(&deny).args(["--disable-fetch", "advisories"]))?;
    Ok(Step::Passed)
}

fn deny_check(deny: &Path) -> Command {
    let mut check = Command::new(deny);
    check.arg("check").current_dir(workspace::root());
    check
}
