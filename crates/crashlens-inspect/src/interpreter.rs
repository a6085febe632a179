//! Finds an interpreter on disk, and the folders it imports from, without running it.

use crashlens_core::Gaps;
use crashlens_core::survey::Interpreter;

use crate::{Question, SurveyError};

/// The interpreter that is asked about.
pub(crate) fn find(question: &Question, _gaps: &mut Gaps) -> Result<Interpreter, SurveyError> {
    let path = question.python.clone().ok_or(SurveyError::NoPython)?;
    Ok(Interpreter {
        path: path.display().to_string(),
        ..Interpreter::default()
    })
}
