//! Has the scripts beside the corpus read files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::workspace;

/// What a script of `corpus/files` prints of files that have labels.
pub fn ask(python: &Path, script: &str, files: &[(String, PathBuf)]) -> Result<String> {
    // A file, not a pipe: the script may print before it has read all of it.
    let mut list = tempfile::NamedTempFile::new()?;
    for (label, path) in files {
        writeln!(list, "{label}\t{}", path.display())?;
    }
    let output = Command::new(python)
        .arg(workspace::root().join("corpus/files").join(script))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(list.reopen()?)
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", python.display()))?;
    ensure!(
        output.status.success(),
        "{script} failed: {}",
        output.status
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
