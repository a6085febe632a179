//! Builds by the tools of users: from the checkout, and from the source distribution.

use std::path::Path;

use anyhow::{Result, ensure};

use super::Subject;
use super::home::{Home, ensure_explained, ran};
use super::installs::{Installer, check_environment, environment};
use super::page::Row;
use crate::workspace;

pub fn check(subject: &Subject) -> Result<Vec<Row>> {
    Ok(vec![newcomer(subject)?, tool(subject)?, sdist(subject)?])
}

/// The three commands of a newcomer: install, explain a crash, check.
fn newcomer(subject: &Subject) -> Result<Row> {
    let home = Home::new()?;
    let newest = super::newest()?;
    let (_, programs) = environment(subject, &home, &newest, Installer::Pip)?;
    let search = &[programs.as_path()];
    let show = |line: &str, printed: &str| subject.page.ensure_shows(line, printed);
    let said = home.succeed("pip install .", search)?;
    show("pip install .", &said)?;
    let line = "crashlens run -- python demo/segfault.py";
    let crash = ran(&mut home.command(line, search)?)?;
    ensure_explained(line, &crash)?;
    show(line, &crash.text)?;
    check_environment(&home, search)?;
    show("crashlens check", "")?;
    let said = home.succeed("pip uninstall --yes crashlens", search)?;
    show("pip uninstall --yes crashlens", &said)?;
    Ok(Row(
        "| `pip install .` in a checkout, a first crash, a first check: 3 commands | works |"
            .to_owned(),
    ))
}

fn tool(subject: &Subject) -> Result<Row> {
    let home = Home::new()?;
    let programs = home.path(".local/bin");
    let search: &[&Path] = &[&programs, &subject.tools];
    let said = home.succeed("uv tool install .", search)?;
    subject.page.ensure_shows("uv tool install .", &said)?;
    let line = "crashlens run -- python demo/segfault.py";
    ensure_explained(line, &ran(&mut home.command(line, search)?)?)?;
    Ok(Row(
        "| `uv tool install .` in a checkout | works |".to_owned()
    ))
}

/// Whether the source distribution has all that it is built of. How fast its program is does not matter here.
fn sdist(subject: &Subject) -> Result<Row> {
    let home = Home::new()?;
    let newest = super::newest()?;
    let (_, programs) = environment(subject, &home, &newest, Installer::Pip)?;
    let search = &[programs.as_path()];
    let line = format!("pip install {}", subject.sdist.display());
    let mut install = home.command(&line, search)?;
    install
        .env("CARGO_TARGET_DIR", workspace::target().join("wheel/sdist"))
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
    let built = ran(&mut install)?;
    ensure!(
        built.status.success(),
        "`{line}`: {}\n{}",
        built.status,
        built.text
    );
    let line = "python -m crashlens demo/segfault.py";
    ensure_explained(line, &ran(&mut home.command(line, search)?)?)?;
    Ok(Row("| `pip install SDIST` | works |".to_owned()))
}
