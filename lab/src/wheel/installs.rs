//! pip and uv: install into an environment of its own, use, uninstall.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::Subject;
use super::home::{Home, ensure_explained, files, ran};
use super::page::Row;
use crate::python::Interpreter;

/// The demonstration, with one line more.
const WATCHED: &str = "\
import runpy

import crashlens

crashlens.enable()
runpy.run_path('demo/segfault.py', run_name='__main__')
";

#[derive(Debug, Clone, Copy)]
pub enum Installer {
    Pip,
    Uv,
}

pub fn check(subject: &Subject) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for interpreter in super::interpreters() {
        let mut installers = Vec::new();
        for installer in [Installer::Pip, Installer::Uv] {
            let version = one(subject, &interpreter, installer)
                .with_context(|| format!("Python {}, {installer:?}", interpreter.series()))?;
            installers.push(version);
        }
        let (major, minor, micro) = interpreter.version;
        rows.push(Row(format!(
            "| Python {major}.{minor}.{micro} | installed by {} |",
            installers.join(", and by ")
        )));
    }
    Ok(rows)
}

/// The whole life of one installation; the installer's version.
fn one(subject: &Subject, interpreter: &Interpreter, installer: Installer) -> Result<String> {
    let home = Home::new()?;
    let (environment, programs) = environment(subject, &home, interpreter, installer)?;
    let before = files(&environment)?;
    let tools: &[&Path] = &[&programs, &subject.tools];
    let wheel = subject.wheel.display();
    let uv = |verb: &str| {
        format!(
            "uv pip {verb} --python {}",
            programs.join("python").display()
        )
    };
    let (version, install, uninstall) = match installer {
        Installer::Pip => (
            home.succeed("pip --version", tools)?,
            format!("pip install {wheel}"),
            "pip uninstall --yes crashlens".to_owned(),
        ),
        Installer::Uv => (
            home.succeed("uv --version", tools)?,
            format!("{} {wheel}", uv("install")),
            format!("{} crashlens", uv("uninstall")),
        ),
    };
    home.succeed(&install, tools)?;
    use_it(&home, &[&programs])?;
    // Also the files that nothing above has imported.
    let package = format!("lib/python{}/site-packages/crashlens", interpreter.series());
    let compile = format!(
        "python -m compileall -q -f {}",
        environment.join(package).display()
    );
    home.succeed(&compile, tools)?;
    home.succeed(&uninstall, tools)?;
    let mut left: Vec<_> = files(&environment)?.difference(&before).cloned().collect();
    // uv's own, for itself.
    left.retain(|path| path != Path::new(".lock"));
    ensure!(left.is_empty(), "files that are left: {left:?}");
    let words: Vec<&str> = version.split_whitespace().take(2).collect();
    Ok(words.join(" "))
}

/// A new environment, and the folder of its programs.
pub fn environment(
    subject: &Subject,
    home: &Home,
    interpreter: &Interpreter,
    installer: Installer,
) -> Result<(PathBuf, PathBuf)> {
    let environment = home.path("environment");
    let (python, folder) = (interpreter.path.display(), environment.display());
    match installer {
        Installer::Pip => {
            let beside = interpreter.path.parent().context("a folder")?;
            let name = interpreter.path.file_name().context("a name")?;
            home.succeed(&format!("{} -m venv {folder}", name.display()), &[beside])?;
        }
        Installer::Uv => {
            home.succeed(
                &format!("uv venv --python {python} {folder}"),
                &[&subject.tools],
            )?;
        }
    }
    let programs = environment.join("bin");
    Ok((environment, programs))
}

/// The ways of the README to have a crash explained, and the check.
pub fn use_it(home: &Home, search: &[&Path]) -> Result<()> {
    for line in [
        "crashlens run -- python demo/segfault.py",
        "python -m crashlens demo/segfault.py",
    ] {
        ensure_explained(line, &ran(&mut home.command(line, search)?)?)?;
    }
    let watched = home.path("watched.py");
    fs_err::write(&watched, WATCHED)?;
    let line = format!("python {}", watched.display());
    ensure_explained(
        "crashlens.enable()",
        &ran(&mut home.command(&line, search)?)?,
    )?;
    let line = "python demo/segfault.py";
    let mut command = home.command(line, search)?;
    ensure_explained("CRASHLENS=1", &ran(command.env("CRASHLENS", "1"))?)?;
    check_environment(home, search)
}

/// `crashlens check`: what it finds depends on the machine, but it must be able to look.
pub fn check_environment(home: &Home, search: &[&Path]) -> Result<()> {
    let ran = ran(&mut home.command("crashlens check", search)?)?;
    ensure!(
        matches!(ran.status.code(), Some(0 | 1)),
        "`crashlens check`: {}\n{}",
        ran.status,
        ran.text
    );
    Ok(())
}
