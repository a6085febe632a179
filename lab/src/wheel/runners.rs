//! Ways to run it without an environment, and to install it as a tool.

use std::path::Path;

use anyhow::{Result, ensure};

use super::Subject;
use super::home::{Home, ensure_explained, files, ran};
use super::page::Row;

pub fn check(subject: &Subject) -> Result<Vec<Row>> {
    let rows = [
        once(subject, "uvx --from {} crashlens --version")?,
        once(subject, "pipx run --spec {} crashlens --version")?,
        target(subject)?,
        tool(subject)?,
    ];
    Ok(rows.into())
}

/// Runs it once from the wheel, with nothing installed before or after.
fn once(subject: &Subject, line: &str) -> Result<Row> {
    let home = Home::new()?;
    let command = line.replace("{}", &subject.wheel.display().to_string());
    let said = home.succeed(&command, &[&subject.tools])?;
    ensure!(
        said.lines().any(|line| line.starts_with("crashlens ")),
        "`{command}` printed:\n{said}"
    );
    Ok(Row(format!(
        "| `{}` | works |",
        line.replace("{}", "WHEEL")
    )))
}

/// A folder on `PYTHONPATH` instead of an environment.
fn target(subject: &Subject) -> Result<Row> {
    let home = Home::new()?;
    let folder = home.path("site");
    let beside = &[subject.tools.as_path()];
    home.succeed(
        &format!(
            "python -m pip install --no-index --target {} {}",
            folder.display(),
            subject.wheel.display()
        ),
        beside,
    )?;
    let line = "python -m crashlens demo/segfault.py";
    let mut crash = home.command(line, beside)?;
    ensure_explained(line, &ran(crash.env("PYTHONPATH", &folder))?)?;
    let line = "crashlens run -- python demo/segfault.py";
    let programs = folder.join("bin");
    ensure_explained(
        line,
        &ran(&mut home.command(line, &[&programs, &subject.tools])?)?,
    )?;
    Ok(Row(
        "| `pip install --target FOLDER WHEEL` | works |".to_owned()
    ))
}

/// `uv tool install`, and its end without a trace.
fn tool(subject: &Subject) -> Result<Row> {
    let home = Home::new()?;
    let programs = home.path(".local/bin");
    let search: &[&Path] = &[&programs, &subject.tools];
    home.succeed(
        &format!("uv tool install {}", subject.wheel.display()),
        search,
    )?;
    let line = "crashlens run -- python demo/segfault.py";
    ensure_explained(line, &ran(&mut home.command(line, search)?)?)?;
    let said = home.succeed("uv tool uninstall crashlens", search)?;
    subject
        .page
        .ensure_shows("uv tool uninstall crashlens", &said)?;
    let data = files(&home.path(".local"))?;
    let left: Vec<_> = data
        .iter()
        .filter(|path| path.starts_with("bin") || path.starts_with("share/uv/tools/crashlens"))
        .collect();
    ensure!(left.is_empty(), "files that are left: {left:?}");
    Ok(Row("| `uv tool install WHEEL` | works |".to_owned()))
}
