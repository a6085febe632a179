//! Pythons that are older than the package supports: pip refuses it, and the program explains their crashes all the same.

use anyhow::{Result, ensure};

use super::Subject;
use super::home::{Home, ensure_crashed, ran};
use super::installs::{Installer, environment};
use super::page::Row;
use crate::python;

/// It runs on every Python, unlike the demonstration.
const PROGRAM: &str = "import ctypes\n\nctypes.string_at(0)\n";

pub fn check(subject: &Subject) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let home = Home::new()?;
    let newest = super::newest()?;
    let (_, programs) = environment(subject, &home, &newest, Installer::Uv)?;
    let wheel = subject.wheel.display();
    let python = programs.join("python");
    home.succeed(
        &format!("uv pip install --python {} {wheel}", python.display()),
        &[&subject.tools],
    )?;
    let program = home.path("x.py");
    fs_err::write(&program, PROGRAM)?;
    let mut older = python::interpreters();
    older.retain(|one| one.version < (3, 8, 0));
    for interpreter in older {
        let Some(folder) = interpreter.path.parent() else {
            continue;
        };
        let name = format!("python{}", interpreter.series());
        let line = format!(
            "{name} -m pip install --no-index --target {} {wheel}",
            home.path("x").display()
        );
        let refused = ran(&mut home.command(&line, &[folder])?)?;
        ensure!(
            !refused.status.success(),
            "`{line}` was not refused\n{}",
            refused.text
        );
        let reason = reason(&refused.text);
        ensure!(!reason.is_empty(), "pip gives no reason:\n{}", refused.text);
        let line = format!("crashlens run -- {name} {}", program.display());
        let crash = ran(&mut home.command(&line, &[folder, &programs])?)?;
        ensure_crashed(&line, &crash, &["x.py, line 3", "ctypes.string_at(0)"])?;
        let (major, minor, micro) = interpreter.version;
        rows.push(Row(format!(
            "| Python {major}.{minor}.{micro} | pip refuses the package: `{reason}`; `crashlens run` explains a crash |"
        )));
    }
    Ok(rows)
}

/// The line in which pip says why.
fn reason(text: &str) -> &str {
    let mut lines = text.lines().rev();
    let reason = lines.find(|line| line.contains("'>=3.8'"));
    reason.unwrap_or_default().trim_start_matches("ERROR: ")
}
