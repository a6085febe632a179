//! Where things are: the repository, its scratch folder, and the program under test.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command;

/// The repository's folder.
pub fn root() -> &'static Path {
    // xtask is always compiled in the repository it serves, one folder below its root.
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
}

/// A folder that git ignores, for virtual environments and everything else that is made once and kept.
pub fn scratch() -> Result<PathBuf> {
    let folder = root().join(".work");
    fs_err::create_dir_all(&folder)?;
    Ok(folder)
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(chosen)
}

/// The `cargo` that started us, so that a chosen toolchain stays chosen.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Builds `crashlens` for release, and gives its path; or takes the one that was asked for.
pub fn crashlens(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = given {
        return path
            .canonicalize()
            .with_context(|| format!("cannot use {}", path.display()));
    }
    command::succeed(cargo().args(["build", "--release", "--package", "crashlens"]))?;
    let path = target().join("release/crashlens");
    ensure!(path.is_file(), "the build left no {}", path.display());
    Ok(path)
}

/// Files under version control, and new ones that are not ignored, as paths relative to the root.
pub fn tracked_files() -> Result<Vec<PathBuf>> {
    let listing = command::output(
        Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(root()),
    )?;
    Ok(listing
        .split('\0')
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
        .collect())
}

/// Whether a program of this name can be found on the search path.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let search = std::env::var_os("PATH")?;
    std::env::split_paths(&search)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
