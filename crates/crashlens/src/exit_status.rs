//! Every exit status crashlens has.

use std::process::ExitCode;

use crashlens_core::Inspection;
use crashlens_core::hazard::Severity;

/// What the caller of crashlens learns from its exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// `run`: the program's own exit code. `attach`: the same, or 128+N when signal N ended it.
    Program(u8),
    /// `run`: this signal ended the program, and so it ends crashlens. A shell sees 128+N.
    Signal(u8),
    /// 0: a report was made, `check` found nothing that counts, rules or help were shown, or a process was let go on request.
    Success,
    /// 1: `check` found something at or above `--fail-on`.
    Found,
    /// 2: `diagnose` or `check` could not make a report, `check` could not do all that was asked, `rules` knows no such
    /// rule, or one of them was used wrongly.
    NoReport,
    /// 125: `run` or `attach` failed in crashlens itself, or was used wrongly.
    Failed,
    /// 126: `run` found the program but could not start it.
    NotExecutable,
    /// 127: `run` did not find the program.
    NotFound,
}

impl ExitStatus {
    /// What `check` found: findings below `least` do not count, and none do where that is `None`.
    pub(crate) fn of_findings(inspection: &Inspection, least: Option<Severity>) -> Self {
        let counts = |least| inspection.at_least(least).next().is_some();
        if least.is_some_and(counts) {
            Self::Found
        } else {
            Self::Success
        }
    }

    /// As the shell sees it.
    pub fn code(self) -> u8 {
        match self {
            Self::Program(code) => code,
            Self::Signal(signal) => 128 + signal,
            Self::Success => 0,
            Self::Found => 1,
            Self::NoReport => 2,
            Self::Failed => 125,
            Self::NotExecutable => 126,
            Self::NotFound => 127,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}
