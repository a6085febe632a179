//! Commands fitted to an environment: not every one has pip, and some do not let it change anything.

use std::collections::BTreeSet;

use super::{Command, Remedy, Risk};
use crate::capture::System;
use crate::facts::packages::normal;
use crate::shell;
use crate::survey::{Interpreter, InterpreterKind, PackageTool, Survey};

/// The environment that commands are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its interpreter, quoted for a shell.
    pub(super) python: String,
    /// What installs packages there.
    pub(super) tool: PackageTool,
    /// The folder of a conda environment, quoted for a shell.
    pub(super) conda: Option<String>,
    /// What conda installed there, by normal names.
    from_conda: BTreeSet<String>,
}

impl Place {
    /// The environment of a survey.
    pub fn of(survey: &Survey) -> Self {
        let python = survey.python.known();
        let path = python.and_then(|python| shell::word(&python.path));
        let is_conda = |it: &&Interpreter| it.kind == InterpreterKind::Conda;
        let conda = python.filter(is_conda);
        let conda = conda.and_then(|python| shell::word(&python.prefix));
        let distributions = survey.distributions.iter();
        let from_conda = distributions.filter(|it| it.installer.as_deref() == Some("conda"));
        Self {
            tool: python.map(|python| python.tool).unwrap_or_default(),
            python: path.unwrap_or_else(|| "python3".to_owned()),
            conda,
            from_conda: from_conda.map(|it| normal(&it.name)).collect(),
        }
    }

    /// Whether conda installed the package of a requirement, and it is one of these.
    pub(super) fn has_from_conda(&self, requirement: &str, names: &[&str]) -> bool {
        let end = requirement.find(|it: char| !it.is_ascii_alphanumeric() && !"._-".contains(it));
        let name = requirement.get(..end.unwrap_or(requirement.len()));
        let name = name.map(normal);
        name.is_some_and(|it| names.contains(&it.as_str()) && self.from_conda.contains(&it))
    }

    /// What has to be done before the first command that installs something, where something has.
    fn preparation(&self) -> Option<Remedy> {
        let Self { python, tool, .. } = self;
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

/// Leaves the commands that work on a system. What to do is still said where its command does not.
pub(crate) fn fit_to_system(remedies: &mut [Remedy], system: System) {
    for remedy in remedies {
        let works = match &mut remedy.command {
            Some(Command::Pip(pip)) => {
                pip.system = system;
                pip.works_on(system)
            }
            Some(Command::Again(again)) => {
                again.system = system;
                again.works_on(system)
            }
            Some(Command::Crashlens(_)) => system == System::Linux,
            Some(Command::Shell(line)) => line.works_on(system),
            None => true,
        };
        if !works {
            remedy.command = None;
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
            Some(Command::Crashlens(_) | Command::Shell(_)) | None => {}
        }
    }
    if let Some((first, preparation)) = first.zip(place.preparation()) {
        remedies.insert(first, preparation);
    }
}
