//! Something to do about a finding or a hazard, and the command that does it.

mod again;
mod crashlens;
mod pip;
mod place;
mod shell_line;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use again::Again;
pub use crashlens::Crashlens;
pub use pip::Pip;
pub use place::Place;
pub(crate) use place::{fit, fit_to_system};
pub use shell_line::ShellLine;

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remedy {
    /// What, as an imperative sentence.
    pub action: String,
    /// The command that does it, where there is one.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub command: Option<Command>,
    /// What it may spoil.
    pub risk: Risk,
}

impl Remedy {
    /// Something that spoils nothing.
    pub fn new(action: impl Into<String>) -> Self {
        Self {
            action: action.into(),
            command: None,
            risk: Risk::None,
        }
    }

    /// With the command that does it.
    #[must_use]
    pub fn command(mut self, command: impl Into<Command>) -> Self {
        self.command = Some(command.into());
        self
    }

    /// With a command that foreign text is part of, where that text can be part of one.
    #[must_use]
    pub fn command_if(mut self, command: Option<impl Into<Command>>) -> Self {
        self.command = command.map(Into::into);
        self
    }

    /// With what it may spoil.
    #[must_use]
    pub fn risk(mut self, risk: Risk) -> Self {
        self.risk = risk;
        self
    }
}

word_enum! {
    /// What a remedy may spoil, least first.
    pub enum Risk {
        /// Nothing.
        None,
        /// Installed packages or settings of the machine change.
        Environment,
        /// Results of the program may be wrong or lost.
        Results,
    }
}

/// A command for a shell, as data: what it is about is compared and fitted to an environment before it becomes text.
/// In JSON it is that text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Command {
    /// Changes what is installed.
    Pip(Pip),
    /// Runs the program again in another way.
    Again(Again),
    /// Another command of crashlens.
    Crashlens(Crashlens),
    /// Anything else.
    Shell(ShellLine),
}

impl Command {
    /// The text to paste into a shell. `program` is the command line of the user's program, each word quoted for a
    /// shell, where it is known.
    pub fn render(&self, program: Option<&[String]>) -> String {
        match self {
            Self::Pip(pip) => pip.to_string(),
            Self::Again(again) => again.render(program),
            Self::Crashlens(crashlens) => crashlens.to_string(),
            Self::Shell(line) => line.to_string(),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(None))
    }
}

impl From<Command> for String {
    fn from(command: Command) -> Self {
        command.to_string()
    }
}

impl From<String> for Command {
    fn from(text: String) -> Self {
        Self::Shell(ShellLine::linux(text))
    }
}

impl From<&str> for Command {
    fn from(text: &str) -> Self {
        Self::Shell(ShellLine::linux(text))
    }
}

impl From<ShellLine> for Command {
    fn from(line: ShellLine) -> Self {
        Self::Shell(line)
    }
}

impl From<Crashlens> for Command {
    fn from(crashlens: Crashlens) -> Self {
        Self::Crashlens(crashlens)
    }
}

impl From<Pip> for Command {
    fn from(pip: Pip) -> Self {
        Self::Pip(pip)
    }
}

impl From<Again> for Command {
    fn from(again: Again) -> Self {
        Self::Again(again)
    }
}
