//! Every native file of an environment: read, and held against what the loader would do with it.

use std::path::PathBuf;

use crashlens_core::survey::{Interpreter, NativeFile, TensorflowTraits};
use crashlens_core::{Gaps, Observed};

use crate::elf::ElfFile;
use crate::site::Installed;
use crate::{Progress, Question};

/// A native file that was read: what the loader's rules are applied to.
#[derive(Debug)]
#[expect(dead_code, reason = "filled by the reader of native files")]
pub(crate) struct LoadedElf {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What was read of it.
    pub(crate) elf: ElfFile,
}

/// Reads all native files, on all processors.
pub(crate) fn read(
    _python: &Interpreter,
    _installed: &Installed,
    _tensorflow: &Observed<TensorflowTraits>,
    _question: &Question,
    _progress: &dyn Progress,
    _gaps: &mut Gaps,
) -> Vec<NativeFile> {
    Vec::new()
}
