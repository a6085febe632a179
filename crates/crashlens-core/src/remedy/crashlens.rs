//! Commands of crashlens itself. Their names are written here and nowhere else where a report gives one.

use std::fmt;

use crate::shell;

/// A call of crashlens. It runs on Linux alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Crashlens {
    /// What comes before the command line of a program.
    Run,
    /// Checks the environment of this interpreter.
    CheckEnvironment(String),
    /// Checks the model at this path.
    CheckModel(String),
    /// Shows all of the capture that was saved here.
    Show(String),
    /// Shows the page of the rule of this name.
    Rule(String),
}

impl Crashlens {
    /// Checks a model whose path comes from a process; `None` where that cannot be a word of a command.
    pub fn check_model(path: &str) -> Option<Self> {
        let path = path.to_owned();
        shell::word(&path).map(|_| Self::CheckModel(path))
    }
}

impl fmt::Display for Crashlens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = shell::quoted;
        match self {
            Self::Run => f.write_str("crashlens run --"),
            Self::CheckEnvironment(python) => {
                write!(f, "crashlens check --python {}", quoted(python))
            }
            Self::CheckModel(path) => write!(f, "crashlens check model {}", quoted(path)),
            Self::Show(capture) => write!(f, "crashlens diagnose {} -v", quoted(capture)),
            Self::Rule(name) => write!(f, "crashlens rules {}", quoted(name)),
        }
    }
}
