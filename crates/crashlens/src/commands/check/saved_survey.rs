//! Surveys as files: what one machine was seen to have, judged on another.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crashlens_core::Survey;
use serde::{Deserialize, Serialize};

use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::saved::write_atomically;

/// Name and version of the form.
const SCHEMA: &str = "crashlens.survey/1";
/// A survey of a thousand native files takes a megabyte or two.
const MOST_BYTES: u64 = 32 << 20;
/// So many objects are taken: three bytes of a file may ask for hundreds in memory.
const MOST_OBJECTS: usize = 300_000;

/// The file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedSurvey<S> {
    /// Always `crashlens.survey/1`.
    schema: String,
    /// Version of crashlens that made it.
    crashlens: String,
    survey: S,
}

/// Saves a survey.
pub(super) fn write(path: &Path, survey: &Survey) -> Result<(), Failure> {
    let saved = SavedSurvey {
        schema: SCHEMA.to_owned(),
        crashlens: env!("CARGO_PKG_VERSION").to_owned(),
        survey,
    };
    let written = serde_json::to_vec_pretty(&saved)
        .map_err(std::io::Error::from)
        .and_then(|mut json| {
            json.push(b'\n');
            write_atomically(path, &mut |out| out.write_all(&json))
        });
    written.map_err(|error| {
        let message = format!("cannot save the survey to {}: {error}", path.display());
        Failure::new(message, ExitStatus::NoReport)
            .with_help("Name a file in a folder that exists and can be written.")
    })
}

/// Reads a survey that was saved, or one that was written by hand without anything around it.
pub(super) fn read(path: &Path) -> Result<Survey, Failure> {
    let name = path.display().to_string();
    let mut json = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut json))
        .map_err(|error| Failure::reading(&name, &error))?;
    let refuse = |reason: &str| {
        Failure::new(
            format!("cannot read {name}: {reason}"),
            ExitStatus::NoReport,
        )
        .with_help("Make one where the environment is: `crashlens check --save FILE`.")
    };
    if json.len() as u64 > MOST_BYTES {
        return Err(refuse("it is too large for a survey"));
    }
    if json.split(|byte| *byte == b'{').count() > MOST_OBJECTS {
        return Err(refuse("it has too many parts for a survey"));
    }
    // A list would be taken for the fields of a survey in their order.
    if !json.trim_ascii_start().starts_with(b"{") {
        return Err(refuse("it is no survey"));
    }
    let error = match serde_json::from_slice::<SavedSurvey<Survey>>(&json) {
        Ok(saved) if saved.schema == SCHEMA => return Ok(saved.survey),
        Ok(_) => return Err(refuse("it is of a form that this crashlens does not know")),
        Err(error) => error,
    };
    match serde_json::from_slice::<Survey>(&json) {
        // Nothing in it was looked at, of which nobody may say that nothing was found.
        Ok(survey) if survey == Survey::default() => Err(refuse("it is no survey: it is empty")),
        Ok(survey) => Ok(survey),
        Err(bare) => {
            let is_saved = claims_to_be_saved(&json);
            let error = if is_saved { error } else { bare };
            Err(refuse(&format!("it is no survey ({error})")))
        }
    }
}

/// Whether the file says of itself that it is a saved survey.
fn claims_to_be_saved(json: &[u8]) -> bool {
    let opening = json.get(..256).unwrap_or(json);
    String::from_utf8_lossy(opening).contains("crashlens.survey/")
}
