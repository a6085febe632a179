//! Commands fitted to an environment: not every one has pip, and some do not let it change anything.

use super::{Command, Remedy, Risk};
use crate::shell;
use crate::survey::{PackageTool, Survey};

/// The environment that commands are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its interpreter, quoted for a shell.
    pub(super) python: String,
    /// What installs packages there.
    pub(super) tool: PackageTool,
}

impl Place {
    /// The environment of a survey.
    pub fn of(survey: &Survey) -> Self {
        let python = survey.python.known();
        let path = python.and_then(|python| shell::word(&python.path));
        Self {
            tool: python.map(|python| python.tool).unwrap_or_default(),
            python: path.unwrap_or_else(|| "python3".to_owned()),
        }
    }

    /// What has to be done before the first command that installs something, where something has.
    fn preparation(&self) -> Option<Remedy> {
        let Self { python, tool } = self;
        match tool {
            PackageTool::Missing => Some(
                Remedy::new("Give the environment pip first: it has none")
                    .command(format!("{python} -m ensurepip"))
                    .risk(Risk::Environment),
            ),
            PackageTool::Refused => Some(
                Remedy::new(
                    "Better make a virtual environment and install there what the program needs: this Python belongs to the \
                     system, and pip changes it only when it is forced to",
                )
                .command(format!("{python} -m venv .venv")),
            ),
            PackageTool::Pip | PackageTool::Uv => None,
        }
    }
}

/// Makes commands ones that work at a place, and adds what has to be done before them.
pub(crate) fn fit(remedies: &mut Vec<Remedy>, place: &Place) {
    let is_pip = |remedy: &Remedy| matches!(remedy.command, Some(Command::Pip(_)));
    let first = remedies.iter().position(is_pip);
    for remedy in remedies.iter_mut() {
        match &mut remedy.command {
            Some(Command::Pip(pip)) => pip.place = Some(place.clone()),
            Some(Command::Again(again)) => again.place = Some(place.clone()),
            Some(Command::Shell(_)) | None => {}
        }
    }
    if let Some((first, preparation)) = first.zip(place.preparation()) {
        remedies.insert(first, preparation);
    }
}
