//! Reads the environment and the machine for a check.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crashlens_core::survey::Machine;
use crashlens_core::{Survey, secrets};
use crashlens_inspect::{Question, SurveyError};

use super::progress::PatientBar;
use crate::cache_folder::cache_folder;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// Which environment to read, and how.
pub(super) struct Wanted {
    /// The interpreter or the folder of its environment; `None` for the active one.
    pub(super) python: Option<PathBuf>,
    /// Whether to compare the content of files with the lists of packages.
    pub(super) verify: bool,
    /// Whether to use what was kept the last time, and to keep what is read.
    pub(super) uses_cache: bool,
}

/// Reads the environment and the machine.
pub(super) fn survey(wanted: Wanted) -> Result<Survey, Failure> {
    let mut survey = Survey::default();
    survey.machine = crashlens_trace::machine(&mut survey.gaps);
    let question = Question {
        python: wanted.python,
        variables: variables(),
        home: std::env::home_dir(),
        count_vectors: lacks_avx(&survey.machine),
        verify: wanted.verify,
        cache: cache_folder().filter(|_| wanted.uses_cache),
        ..Question::default()
    };
    let bar = PatientBar::new();
    crashlens_inspect::survey(survey, &question, &bar).map_err(|error| failed(&error))
}

/// The variables that a program started from here would have, as far as they may be written down.
fn variables() -> BTreeMap<String, String> {
    let variables: Vec<(String, String)> = std::env::vars_os()
        .map(|(name, value)| (lossy(name), lossy(value)))
        .collect();
    secrets::visible_variables(
        variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str())),
    )
}

fn lossy(text: OsString) -> String {
    text.into_string()
        .unwrap_or_else(|text| text.to_string_lossy().into_owned())
}

/// Whether the processor is seen to lack AVX, so that counting what files use of it is worth the time.
fn lacks_avx(machine: &Machine) -> bool {
    let is_x86 = machine.architecture.known().map(String::as_str) == Some("x86-64");
    let flags = machine.cpu_flags.known();
    is_x86 && flags.is_some_and(|flags| !flags.iter().any(|flag| flag == "avx"))
}

fn failed(error: &SurveyError) -> Failure {
    let help = match error {
        SurveyError::Gone { .. } => {
            "Make the environment again with a Python that is there, or install that Python again."
        }
        _ => "Name the interpreter of the environment: `crashlens check --python PATH`.",
    };
    Failure::new(error.to_string(), ExitStatus::NoReport).with_help(help)
}
