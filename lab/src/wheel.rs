//! `cargo lab wheel`: whether the wheel installs, works and uninstalls on the systems that it is for.
//!
//! `cargo xtask wheel` has built it. Every command that [the page](../../docs/install.md) shows is run here as it stands, and must
//! print what the page shows.

mod contents;
mod home;
mod installs;
mod older;
mod page;
mod roots;
mod runners;
mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use self::page::Page;
use crate::{python, workspace};

/// What installs, runs and checks Python packages, in the versions that the page names.
const TOOLS: [&str; 4] = ["uv==0.13.8", "pipx==1.18.4", "mypy==2.4.1", "wheel==0.46.3"];

#[derive(clap::Args)]
pub struct Options {
    /// Do only these parts; may be given several times
    #[arg(value_enum, value_name = "PART")]
    pub parts: Vec<Part>,
    /// Write what was tried into the page
    #[arg(long)]
    pub update: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// The files in the wheel, and what its program needs
    Contents,
    /// pip and uv with every Python
    Installs,
    /// Ways to run it that need no environment
    Runners,
    /// Pythons that the package is not for
    Older,
    /// An old and a new release of Debian
    Roots,
    /// Builds from the checkout and from the source distribution
    Source,
}

/// What the parts work with.
struct Subject {
    wheel: PathBuf,
    sdist: PathBuf,
    /// The folder of the programs of [`TOOLS`].
    tools: PathBuf,
    page: Page,
}

pub fn run(options: &Options) -> Result<()> {
    let subject = Subject {
        wheel: built("whl")?,
        sdist: built("gz")?,
        tools: tools()?,
        page: Page::read()?,
    };
    let mut tried = Vec::new();
    for part in <Part as clap::ValueEnum>::value_variants() {
        if !options.parts.is_empty() && !options.parts.contains(part) {
            continue;
        }
        println!("{part:?}");
        let start = Instant::now();
        tried.extend(match part {
            Part::Contents => contents::check(&subject)?,
            Part::Installs => installs::check(&subject)?,
            Part::Runners => runners::check(&subject)?,
            Part::Older => older::check(&subject)?,
            Part::Roots => roots::check(&subject)?,
            Part::Source => source::check(&subject)?,
        });
        println!("{part:?}: {} s", start.elapsed().as_secs());
    }
    for row in &tried {
        println!("{}", row.0);
    }
    if options.update {
        ensure!(
            options.parts.is_empty(),
            "the page is written of all parts, not of some"
        );
        subject.page.write(&tried)?;
    }
    Ok(())
}

/// The one file of this kind that was built.
fn built(extension: &str) -> Result<PathBuf> {
    let folder = workspace::target().join("wheel/dist");
    let entries = fs_err::read_dir(&folder).context("`cargo xtask wheel` builds the wheel")?;
    let mut found = entries.flatten().map(|entry| entry.path());
    found
        .find(|path| path.extension().is_some_and(|found| found == extension))
        .with_context(|| format!("there is no .{extension} in {}", folder.display()))
}

fn tools() -> Result<PathBuf> {
    let interpreter = newest()?;
    let packages = BTreeSet::from(TOOLS.map(str::to_owned));
    let python = python::environment("wheel-tools", &interpreter, &packages, None)?;
    let folder = python.parent().map(Path::to_path_buf);
    folder.context("an interpreter is in a folder")
}

/// Interpreters that the package is for, and that can make environments.
fn interpreters() -> Vec<python::Interpreter> {
    let mut all = python::interpreters();
    all.retain(|one| one.version >= (3, 8, 0) && home::has_ensurepip(&one.path));
    // Two of the same version are builds of the same sources.
    all.dedup_by_key(|one| one.version);
    all
}

fn newest() -> Result<python::Interpreter> {
    let newest = interpreters().pop();
    newest.context("there is no Python 3.8 or newer with `venv` and `ensurepip`")
}
