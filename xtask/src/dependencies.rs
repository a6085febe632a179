//! Licences, bans, sources and advisories of the dependencies, by cargo-deny.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::Step;
use crate::{command, workspace};

/// The version that is installed. Another one may judge the same file otherwise.
const VERSION: &str = "0.20.2";

/// Checks everything that needs no database, and the advisories where theirs can be fetched.
pub fn check() -> Result<Step> {
    let deny = installed()?;
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

/// The pinned cargo-deny: the one on the search path if it is that version, or one that is built once and kept.
fn installed() -> Result<PathBuf> {
    if let Some(found) = workspace::find_program("cargo-deny").filter(|path| is_pinned(path)) {
        return Ok(found);
    }
    let folder = cache()?.join(format!("cargo-deny-{VERSION}"));
    let program = folder.join("bin/cargo-deny");
    if !is_pinned(&program) {
        println!("building cargo-deny {VERSION}, once");
        let mut install = workspace::cargo();
        // An unoptimised build takes under two minutes of CPU time, and checks this tree in seconds.
        install
            .args(["install", "cargo-deny", "--version", VERSION])
            .args(["--locked", "--debug", "--no-default-features", "--root"])
            .arg(&folder);
        command::succeed(&mut install)?;
    }
    Ok(program)
}

fn is_pinned(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| {
        let text = String::from_utf8_lossy(&output.stdout);
        text.split_whitespace().nth(1) == Some(VERSION)
    })
}

/// A folder that outlives checkouts and `cargo clean`.
fn cache() -> Result<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let folder = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let folder = folder.or_else(home).context("HOME is not set")?;
    Ok(folder.join("crashlens-dev"))
}
