//! Every native file of an environment: read, and held against what the loader would do with it.

use crashlens_core::Gaps;
use crashlens_core::survey::{Interpreter, NativeFile};

use crate::site::Installed;
use crate::{Progress, Question};

/// Reads all native files, on all processors.
pub(crate) fn read(
    _python: &Interpreter,
    _installed: &Installed,
    _question: &Question,
    _progress: &dyn Progress,
    _gaps: &mut Gaps,
) -> Vec<NativeFile> {
    Vec::new()
}
