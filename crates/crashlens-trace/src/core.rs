//! Makes a capture of an ELF core file.
//!
//! Opens the core and the program's files and puts the facts together. What is in the core is read
//! by `crashlens_unwind::core_file`; what a core never holds becomes a gap here.

mod disk_files;
mod error;
mod facts;
#[cfg(test)]
mod tests;
mod unpack;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crashlens_core::{CaptureFile, Gaps, secrets};
use crashlens_unwind::{CoreFile, FileBytes, Files, ReadMemory, Reading};

pub use disk_files::DiskFiles;
pub use error::CoreReadError;

use crate::sys;

/// Nobody is stopped while a core is read, so this is only patience with a damaged one.
const READING_TIME: Duration = Duration::from_secs(10);

/// Variables by name.
pub(crate) type Variables = BTreeMap<String, String>;

/// What may be kept of the words that came with a process, which often hold passwords and keys.
pub(crate) struct Masks {
    /// The command line without its secrets.
    pub(crate) command: fn(&[String]) -> Vec<String>,
    /// The variables that may be kept, without their secrets.
    pub(crate) variables: fn(&[(String, String)]) -> Variables,
}

/// Reads an ELF core file, also zstd-packed; the values of variables too, if `locals`.
pub fn read_core(path: &Path, locals: bool) -> Result<CaptureFile, CoreReadError> {
    let masks = Masks {
        command: secrets::mask_command,
        variables: |variables| {
            let pairs = variables
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()));
            secrets::visible_variables(pairs)
        },
    };
    read_core_with(path, &DiskFiles::default(), &masks, locals)
}

/// Reads a core of a program whose files are `files`.
pub(crate) fn read_core_with(
    path: &Path,
    files: &dyn Files,
    masks: &Masks,
    locals: bool,
) -> Result<CaptureFile, CoreReadError> {
    let mut gaps = Gaps::default();
    let bytes = open(path, &mut gaps)?;
    let core = CoreFile::parse(bytes).map_err(|source| CoreReadError::Core {
        path: path.to_owned(),
        source,
    })?;
    for gap in &core.gaps().0 {
        gaps.add(&gap.part, &gap.reason, gap.remedy.as_deref());
    }
    let memory = core.memory(files);
    let snapshot = core.snapshot();
    let reading = Reading {
        deadline: Instant::now() + READING_TIME,
        locals,
    };
    let walked = crashlens_unwind::walk(&snapshot, &memory, &memory, reading, &mut gaps);
    let stacks = walked.name_frames(&memory, &mut gaps);
    let words = core.initial_stack(&memory as &dyn ReadMemory);
    for gap in memory.gaps().0 {
        gaps.add(gap.part, gap.reason, gap.remedy.as_deref());
    }
    Ok(facts::capture(
        &core, snapshot, stacks, words, masks, &memory, gaps,
    ))
}

/// The core's bytes, unpacked if need be.
fn open(path: &Path, gaps: &mut Gaps) -> Result<FileBytes, CoreReadError> {
    let failed = |source| CoreReadError::Open {
        path: path.to_owned(),
        source,
    };
    let file = disk_files::open_regular(path).map_err(failed)?;
    let bytes = map(&file).map_err(failed)?;
    let content = (*bytes).as_ref();
    if unpack::is_zstd(content) {
        return unpack::unpack(content, gaps).map_err(|source| CoreReadError::Unpack {
            path: path.to_owned(),
            source,
        });
    }
    if let Some(packer) = unpack::other_packer(content) {
        return Err(CoreReadError::Packed {
            path: path.to_owned(),
            packer,
        });
    }
    Ok(bytes)
}

fn map(file: &File) -> io::Result<FileBytes> {
    // An empty file cannot be mapped on every kernel.
    if file.metadata()?.len() == 0 {
        return Ok(Arc::new(Vec::<u8>::new()));
    }
    Ok(Arc::new(sys::map_file(file)?))
}
