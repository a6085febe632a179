//! The look at the environment after a death: the cheap part of a check.
//!
//! Made when the program has ended, never while it runs and never for an ordinary end. It looks at what the dead
//! process had loaded, through the eyes of that process: its interpreter, its variables. It gives up after two seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crashlens_core::survey::Machine;
use crashlens_core::{CaptureSource, CrashCapture, Death, Gap, Inspection, Observed, inspection};
use crashlens_inspect::{Question, Silent, SurveyError};

use crate::cache_folder::cache_folder;

/// So long somebody waits for the shell's prompt because of it.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many native files are looked at; no process has more but by mistake.
const MOST_FILES: usize = 5000;

/// What was found, and in the environment of which interpreter.
pub(crate) struct Aftermath {
    pub(crate) inspection: Inspection,
    pub(crate) python: PathBuf,
}

/// Looks at the environment that a process of Python died in; `None` where there is none to look at.
pub(crate) fn look(capture: CrashCapture) -> Option<Result<Aftermath, Gap>> {
    let death = Death::new(&capture);
    let python = interpreter_of(&death)?;
    let variables = death.environment.variables.clone().unwrap_or_default();
    let question = Question {
        python: Some(python.clone()),
        variables: with_home(&variables),
        only: Some(loaded_by(&death)),
        // Who has never asked for a check gets no cache for it.
        cache: cache_folder().filter(|folder| folder.is_dir()),
        ..Question::default()
    };
    let inspection = within(PATIENCE, move || {
        let mut survey = crashlens_inspect::survey(&question, &Silent)?;
        survey.variables = Observed::Known(variables);
        survey.machine = Machine::of_death(&capture, &mut survey.gaps);
        Ok::<_, SurveyError>(inspection::inspect(&survey))
    });
    let reason = match inspection {
        Some(Ok(inspection)) => return Some(Ok(Aftermath { inspection, python })),
        Some(Err(error)) => error.to_string(),
        None => format!("it took longer than {} seconds", PATIENCE.as_secs()),
    };
    Some(Err(Gap {
        part: "the environment that it died in".to_owned(),
        reason,
        remedy: Some("run `crashlens check` there".to_owned()),
    }))
}

/// What `work` gives, if it does so in time. What takes longer is left to itself; it ends with us at the latest.
fn within<T: Send + 'static>(
    time: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let started = std::thread::Builder::new()
        .name("aftermath".to_owned())
        .spawn(move || {
            let _ = sender.send(work());
        });
    started.ok()?;
    receiver.recv_timeout(time).ok()
}

fn loaded_by(death: &Death) -> BTreeSet<PathBuf> {
    let modules = death.modules.iter().flatten();
    modules
        .map(|module| PathBuf::from(&module.path))
        .take(MOST_FILES)
        .collect()
}

/// Packages may be in the user's home, which captures do not tell.
fn with_home(variables: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut variables = variables.clone();
    if let Ok(home) = std::env::var("HOME") {
        variables.entry("HOME".to_owned()).or_insert(home);
    }
    variables
}

/// The interpreter as the process was started by it. The kernel only tells the file behind all links, which is no part
/// of a virtual environment; so the first name that leads to that file is taken.
pub(crate) fn interpreter_of(death: &Death) -> Option<PathBuf> {
    let surroundings = &death.environment;
    let executable = PathBuf::from(surroundings.executable.as_ref()?);
    let is_python = surroundings.python.is_some() || is_called_python(&executable);
    if death.source != CaptureSource::Process || !is_python || !executable.is_file() {
        return None;
    }
    let real = executable.canonicalize().ok()?;
    let leads_there = |path: &PathBuf| path.canonicalize().is_ok_and(|target| target == real);
    let started_as = candidates(death).into_iter().find(leads_there);
    Some(started_as.unwrap_or(executable))
}

fn is_called_python(executable: &Path) -> bool {
    let name = executable.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with("python")
}

/// Names that the process may have been started by, the likeliest first.
fn candidates(death: &Death) -> Vec<PathBuf> {
    let surroundings = &death.environment;
    let variable = |name: &str| surroundings.variables.as_ref()?.get(name);
    let mut candidates = Vec::new();
    if let Some(command) = death.command.first() {
        if command.contains('/') {
            let folder = surroundings.working_directory.as_deref().unwrap_or("/");
            candidates.push(Path::new(folder).join(command));
        } else {
            let path = variable("PATH").map_or("", String::as_str);
            let folders = path.split(':').filter(|folder| folder.starts_with('/'));
            candidates.extend(folders.map(|folder| Path::new(folder).join(command)));
        }
    }
    let prefix = variable("VIRTUAL_ENV").or_else(|| variable("CONDA_PREFIX"));
    candidates.extend(prefix.map(|prefix| Path::new(prefix).join("bin/python")));
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_not_waited_for() {
        let (_keep_open, never) = mpsc::channel::<()>();
        let slow = within(Duration::from_millis(1), move || never.recv().ok());
        assert_eq!(slow, None);
        assert_eq!(within(PATIENCE, || 7), Some(7));
    }
}
