//! Our own failures: what went wrong, what to do, which exit status says so.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use crashlens_trace::{CoreReadError, SuperviseError};

use crate::exit_status::ExitStatus;
use crate::harmless;

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What was attempted and what stood in its way, in lower case.
    pub(crate) message: String,
    /// What the user can do, where there is something.
    pub(crate) help: Option<String>,
    /// The exit status that says so.
    pub(crate) status: ExitStatus,
}

impl Failure {
    /// A failure with the exit status of the command it happened in.
    pub(crate) fn new(message: impl Into<String>, status: ExitStatus) -> Self {
        Self {
            message: message.into(),
            help: None,
            status,
        }
    }

    /// The same, with advice.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// `run` or `attach` could not begin.
    pub(crate) fn supervising(error: &SuperviseError) -> Self {
        let status = match error.exit_code() {
            126 => ExitStatus::NotExecutable,
            127 => ExitStatus::NotFound,
            _ => ExitStatus::Failed,
        };
        Self {
            message: chain(error),
            help: error.help().map(str::to_owned),
            status,
        }
    }

    /// `diagnose` could not read a core file.
    pub(crate) fn core(error: &CoreReadError) -> Self {
        Self {
            message: chain(error),
            help: error.help(),
            status: ExitStatus::NoReport,
        }
    }

    /// `diagnose` could not read what it was given.
    pub(crate) fn reading(name: &str, error: &dyn Error) -> Self {
        Self::new(
            format!("cannot read {name}: {}", chain(error)),
            ExitStatus::NoReport,
        )
    }

    /// The report could not be written. Nobody reading any more (`| head`) is no failure.
    pub(crate) fn writing(name: &str, error: &io::Error, status: ExitStatus) -> Self {
        let status = if error.kind() == io::ErrorKind::BrokenPipe {
            ExitStatus::Success
        } else {
            status
        };
        Self::new(
            format!("cannot write the report to {name}: {error}"),
            status,
        )
    }

    /// Prints it.
    pub(crate) fn show(&self) {
        if let Some(text) = self.text() {
            // Where standard error is gone there is nobody left to tell.
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }

    /// What to print on standard error; nothing for a failure that is none.
    pub(crate) fn text(&self) -> Option<String> {
        if self.status == ExitStatus::Success {
            return None;
        }
        // Names of files and words of damaged ones are in it.
        let mut text = format!("crashlens: {}\n", harmless::escaped(&self.message));
        if let Some(help) = &self.help {
            let _ = writeln!(text, "  help: {}", harmless::escaped(help));
        }
        Some(text)
    }
}

/// An error and its causes: `cannot start python: no such file or directory`.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
