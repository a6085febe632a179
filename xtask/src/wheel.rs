//! `cargo xtask wheel`: the wheel and the source distribution that a release publishes.
//!
//! The wheel is linked by zig for the C library of manylinux2014, so that it runs on systems far older than the one
//! that builds it. `cargo lab wheel` installs and tries what this has built.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{command, workspace};

/// What builds the wheel, in the versions that were tried.
const TOOLS: [&str; 2] = ["maturin==1.16.0", "ziglang==0.17.0"];
/// The oldest systems it is for: glibc 2.17, of 2012.
const PLATFORM: &str = "manylinux2014";
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// A profile of `Cargo.toml`.
const PROFILE: &str = "dist";

pub fn run() -> Result<()> {
    build(&tools()?)
}

/// Builds both into an empty folder, with the tools at this path.
pub fn build(tools: &Path) -> Result<()> {
    let folder = workspace::target().join("wheel/dist");
    if folder.exists() {
        fs_err::remove_dir_all(&folder)?;
    }
    let mut sdist = maturin(tools)?;
    command::succeed(sdist.arg("sdist").arg("--out").arg(&folder))?;
    let mut wheel = maturin(tools)?;
    wheel.args(["build", "--locked", "--zig", "--profile", PROFILE]);
    wheel.args(["--target", TARGET, "--compatibility", PLATFORM]);
    command::succeed(wheel.arg("--out").arg(&folder))?;
    for entry in fs_err::read_dir(&folder)? {
        let entry = entry?;
        let size = entry.metadata()?.len();
        println!("built {} ({} kB)", entry.path().display(), size / 1000);
    }
    Ok(())
}

/// The folder with the programs of [`TOOLS`]: a virtual environment, made once for each set of versions.
pub fn tools() -> Result<PathBuf> {
    let name = format!("wheel/tools-{}", TOOLS.join("-").replace("==", "-"));
    let environment = workspace::target().join(name);
    let programs = environment.join("bin");
    let is_complete = environment.join("complete");
    if !is_complete.exists() {
        let mut venv = Command::new("python3");
        command::succeed(venv.args(["-m", "venv", "--clear"]).arg(&environment))?;
        let mut pip = Command::new(programs.join("python"));
        pip.args(["-m", "pip", "install", "--quiet"]);
        pip.arg("--disable-pip-version-check").args(TOOLS);
        command::succeed(&mut pip)?;
        fs_err::write(&is_complete, "")?;
    }
    Ok(programs)
}

/// maturin, with a compiler that keeps no path of this machine: two machines build the same program.
fn maturin(tools: &Path) -> Result<Command> {
    let registry = cargo_home()?.join("registry/src");
    let forget = [(workspace::root(), "crashlens"), (&registry, "registry")];
    let forget =
        forget.map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display()));
    let search = std::env::var_os("PATH").unwrap_or_default();
    let search = [tools.to_path_buf()]
        .into_iter()
        .chain(std::env::split_paths(&search));
    let mut maturin = Command::new(tools.join("maturin"));
    maturin
        .current_dir(workspace::root())
        .env("PATH", std::env::join_paths(search)?)
        // maturin would look for zig in an active environment.
        .env_remove("VIRTUAL_ENV")
        .env_remove("RUSTFLAGS")
        .env("CARGO_ENCODED_RUSTFLAGS", forget.join("\u{1f}"));
    Ok(maturin)
}

fn cargo_home() -> Result<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    let folder = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    folder.or_else(home).context("HOME is not set")
}
