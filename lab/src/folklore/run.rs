//! What a program did, in a few words that are the same in every run.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use super::belief::Belief;
use crate::command::{self, Ended};

/// The slowest takes ten seconds on an idle machine.
const LIMIT: Duration = Duration::from_mins(3);

/// Runs the program under crashlens in a folder of its own.
pub fn outcome(belief: &Belief, python: &Path, crashlens: &Path) -> Result<String> {
    let scratch = tempfile::Builder::new().prefix("folklore-").tempdir()?;
    let place = scratch.path();
    fs_err::copy(belief.folder.join("program.py"), place.join("program.py"))?;
    let mut run = Command::new(crashlens);
    run.args(["run", "--format", "json", "--output", "report.json", "--"])
        .arg(python)
        .arg("program.py")
        .current_dir(place)
        .env("TF_CPP_MIN_LOG_LEVEL", "2")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs_err::File::create(place.join("stderr.txt"))?.into_file());
    let Ended::Within(status) = command::run_for(&mut run, LIMIT)? else {
        return Ok("no end".to_owned());
    };
    let code = command::shell_status(status);
    // There is a report only of a death.
    let report = fs_err::read(place.join("report.json")).unwrap_or_default();
    let report: Value = serde_json::from_slice(&report).unwrap_or_default();
    let signal = report.pointer("/deaths/0/ending/signal");
    if let Some(signal) = signal.and_then(Value::as_str).filter(|_| code > 128) {
        return Ok(signal.to_owned());
    }
    let said = String::from_utf8_lossy(&fs_err::read(place.join("stderr.txt"))?).into_owned();
    Ok(match exception(&said) {
        Some(name) if code == 1 => format!("exit 1, {name}"),
        _ => format!("exit {code}"),
    })
}

/// The name of the exception in the last line that has one.
fn exception(said: &str) -> Option<&str> {
    said.lines().rev().find_map(|line| {
        let path = line.split(':').next()?;
        let is_path = |letter: char| letter.is_alphanumeric() || "._".contains(letter);
        let name = path.rsplit('.').next()?;
        let is_error = ["Error", "Exception", "Interrupt"]
            .iter()
            .any(|end| name.ends_with(end));
        (is_error && path.chars().all(is_path)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exception_is_named_without_its_module() {
        let said = "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: first\n\n\
                    a.b_c.InvalidArgumentError: {{function_node x}} no [Op:Y]\nand more: text";
        assert_eq!(exception(said), Some("InvalidArgumentError"));
        assert_eq!(exception("all is well"), None);
    }
}
