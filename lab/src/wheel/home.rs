//! A clean place: a new home folder, and programs that are run in it.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::workspace;

/// A home folder that ends with this value.
pub struct Home(TempDir);

/// How a program ended, and what it wrote to both streams.
pub struct Ran {
    pub status: ExitStatus,
    pub text: String,
}

impl Home {
    pub fn new() -> Result<Self> {
        Ok(Self(tempfile::tempdir()?))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A command line as a user types it, in the folder of the project and with these folders first on the search path. No word of it
    /// has a space.
    pub fn command(&self, line: &str, search: &[&Path]) -> Result<Command> {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        let system = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = search
            .iter()
            .map(|folder| folder.to_path_buf())
            // The shims of pyenv choose another interpreter than the one that is meant.
            .chain(std::env::split_paths(&system).filter(|folder| !folder.ends_with("shims")))
            .collect();
        let program = folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
            .with_context(|| format!("there is no program {name}"))?;
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(workspace::root())
            .env("HOME", self.0.path())
            .env("PATH", std::env::join_paths(folders)?)
            .env("UV_PYTHON_DOWNLOADS", "never");
        for name in [
            "VIRTUAL_ENV",
            "PYTHONPATH",
            "CRASHLENS",
            "CARGO",
            "RUSTFLAGS",
        ] {
            command.env_remove(name);
        }
        for name in ["CACHE", "STATE", "DATA", "CONFIG"] {
            command.env_remove(format!("XDG_{name}_HOME"));
        }
        // Rust is installed once for all homes.
        if let Some(home) = std::env::var_os("HOME").map(PathBuf::from) {
            for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
                if std::env::var_os(name).is_none() {
                    command.env(name, home.join(folder));
                }
            }
        }
        Ok(command)
    }

    /// Runs a command line to success; what it wrote.
    pub fn succeed(&self, line: &str, search: &[&Path]) -> Result<String> {
        let ran = ran(&mut self.command(line, search)?)?;
        ensure!(
            ran.status.success(),
            "`{line}`: {}\n{}",
            ran.status,
            ran.text
        );
        Ok(ran.text)
    }
}

/// Runs a program that may fail.
pub fn ran(command: &mut Command) -> Result<Ran> {
    let name = command.get_program().to_owned();
    let output = command
        .output()
        .with_context(|| format!("cannot start {}", name.display()))?;
    let text = [output.stdout, output.stderr].concat();
    Ok(Ran {
        status: output.status,
        text: String::from_utf8_lossy(&text).into_owned(),
    })
}

/// A crash of `demo/segfault.py` that was explained.
pub fn ensure_explained(line: &str, ran: &Ran) -> Result<()> {
    let words = ["demo/segfault.py", "line 21", "decode_tile", "memmove"];
    ensure_crashed(line, ran, &words)
}

/// A crash whose report has these words, and that the caller of the program sees as it was.
pub fn ensure_crashed(line: &str, ran: &Ran, words: &[&str]) -> Result<()> {
    let Ran { status, text } = ran;
    ensure!(
        status.signal() == Some(nix::libc::SIGSEGV),
        "`{line}` ended otherwise: {status}\n{text}"
    );
    let is_explained = words.iter().all(|word| text.contains(word));
    ensure!(is_explained, "`{line}` does not explain the crash:\n{text}");
    Ok(())
}

/// Every file below a folder.
pub fn files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs_err::read_dir(&next)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                found.insert(entry.path().strip_prefix(folder)?.to_path_buf());
            }
        }
    }
    Ok(found)
}

/// Whether an interpreter can make environments with pip.
pub fn has_ensurepip(python: &Path) -> bool {
    Command::new(python)
        .args(["-c", "import ensurepip, venv"])
        .output()
        .is_ok_and(|output| output.status.success())
}
