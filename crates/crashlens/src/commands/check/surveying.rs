//! Reads the environment and the machine for a check.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crashlens_core::survey::Machine;
use crashlens_core::{Gaps, Observed, Survey, secrets};
use crashlens_inspect::{Question, SurveyError};

use super::progress::PatientBar;
use crate::cache_folder::cache_folder;
use crate::cli::SurveyArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// Reads what the arguments ask for.
pub(super) fn survey(args: &SurveyArgs) -> Result<Survey, Failure> {
    // Gaps are numbered within a survey, which does not exist yet; so the processor is asked twice.
    let count_vectors = lacks_avx(&crashlens_trace::machine(&mut Gaps::default()));
    let visible = variables();
    let question = Question {
        python: args.python.clone(),
        variables: with_home(&visible),
        count_vectors,
        verify: args.verify,
        cache: cache_folder().filter(|_| !args.no_cache),
        ..Question::default()
    };
    let bar = PatientBar::new();
    let mut survey = crashlens_inspect::survey(&question, &bar).map_err(|error| failed(&error))?;
    drop(bar);
    survey.machine = crashlens_trace::machine(&mut survey.gaps);
    survey.variables = Observed::Known(visible);
    Ok(survey)
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

/// Packages may be installed in the user's home; nobody else is to know where that is.
fn with_home(visible: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut variables = visible.clone();
    if let Some(home) = std::env::var_os("HOME") {
        variables.insert("HOME".to_owned(), lossy(home));
    }
    variables
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
