//! The look at the environment after a death: the cheap part of a check.
//!
//! Made when the program has ended, never while it runs and never for an ordinary end. It looks at what the dead
//! process had loaded, through the eyes of that process: its interpreter, its variables. It gives up after two seconds.

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use crashlens_core::survey::Machine;
use crashlens_core::{CrashCapture, Death, Gap, Inspection, Survey, inspection};
use crashlens_inspect::{Loaded, Question, Silent, SurveyError};
use nix::sys::resource::{Resource, getrlimit};

use crate::cache_folder::cache_folder;
use crate::interpreter;

/// So long somebody waits for the shell's prompt because of it.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many native files are looked at; no process has more but by mistake.
const MOST_FILES: usize = 5000;

/// Address space that is enough for any look; libraries are mapped as a whole.
const ENOUGH: u64 = 2 << 30;

/// What was found, and in the environment of which interpreter.
pub(crate) struct Aftermath {
    pub(crate) inspection: Inspection,
    pub(crate) python: PathBuf,
}

/// Looks at the environment that a process of Python died in; `None` where there is none to look at.
pub(crate) fn look(death: &Death, capture: CrashCapture) -> Option<Result<Aftermath, Gap>> {
    let python = interpreter::of_death(death)?;
    if has_little_memory() {
        return Some(Err(gap(
            "a limit on memory (`ulimit -v`) applies to crashlens too",
        )));
    }
    if !crashlens_trace::can_use_threads() {
        return Some(Err(gap("threads cannot be used here (`futex` is refused)")));
    }
    let question = Question {
        python: Some(python.clone()),
        variables: death.environment.variables.clone().unwrap_or_default(),
        home: std::env::home_dir(),
        only: Some(loaded_by(death)),
        // Who has never asked for a check gets no cache for it.
        cache: cache_folder().filter(|folder| folder.is_dir()),
        ..Question::default()
    };
    let inspection = within(PATIENCE, move || {
        let mut survey = Survey::default();
        survey.machine = Machine::of_death(&capture, &mut survey.gaps);
        let survey = crashlens_inspect::survey(survey, &question, &Silent)?;
        Ok::<_, SurveyError>(inspection::inspect(&survey))
    });
    let reason = match inspection {
        Some(Ok(inspection)) => return Some(Ok(Aftermath { inspection, python })),
        Some(Err(error)) => error.to_string(),
        None => format!("it took longer than {} seconds", PATIENCE.as_secs()),
    };
    Some(Err(gap(reason)))
}

fn gap(reason: impl Into<String>) -> Gap {
    Gap {
        part: "the environment that it died in".to_owned(),
        reason: reason.into(),
        remedy: Some("run `crashlens check` there".to_owned()),
    }
}

/// Whether the look could take what the report needs.
fn has_little_memory() -> bool {
    getrlimit(Resource::RLIMIT_AS).is_ok_and(|(soft, _)| soft < ENOUGH)
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

fn loaded_by(death: &Death) -> Loaded {
    let modules = death.modules.iter().flatten().take(MOST_FILES);
    let packages = modules.clone().filter_map(|module| module.package.as_ref());
    Loaded {
        packages: packages.map(|package| package.name.clone()).collect(),
        files: modules.map(|module| PathBuf::from(&module.path)).collect(),
    }
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
