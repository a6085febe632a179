//! Programs from crates.io in a pinned version: built once, and kept.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{command, workspace};

pub struct Tool {
    pub name: &'static str,
    /// The version that is installed. Another one may answer differently.
    pub version: &'static str,
    pub features: &'static [&'static str],
}

impl Tool {
    /// The one on the search path if it is that version, or one that is built once.
    pub fn installed(&self) -> Result<PathBuf> {
        if let Some(found) = workspace::find_program(self.name).filter(|path| self.is(path)) {
            return Ok(found);
        }
        let Self { name, version, .. } = self;
        let folder = cache()?.join(format!("{name}-{version}"));
        let program = folder.join("bin").join(name);
        if !self.is(&program) {
            println!("building {name} {version}, once");
            let mut install = workspace::cargo();
            // An unoptimised build takes under two minutes of CPU time, and does its work here in seconds.
            install
                .args(["install", name, "--version", version])
                .args(["--locked", "--debug", "--no-default-features"])
                .args(
                    self.features
                        .iter()
                        .flat_map(|feature| ["--features", feature]),
                )
                .arg("--root")
                .arg(&folder);
            command::succeed(&mut install)?;
        }
        Ok(program)
    }

    fn is(&self, program: &Path) -> bool {
        let output = Command::new(program).arg("--version").output();
        output.is_ok_and(|output| {
            let text = String::from_utf8_lossy(&output.stdout);
            let version = text.split_whitespace().nth(1).unwrap_or_default();
            version.trim_start_matches('v') == self.version
        })
    }
}

/// A folder that outlives checkouts and `cargo clean`.
fn cache() -> Result<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let folder = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let folder = folder.or_else(home).context("HOME is not set")?;
    Ok(folder.join("crashlens-dev"))
}
