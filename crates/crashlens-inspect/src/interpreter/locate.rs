//! Which executable is meant.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crashlens_core::Gaps;

use super::executable::Head;
use super::path_file::without_dots;
use super::pyenv;
use crate::{Question, SurveyError, bounded};

/// The largest interpreters, with all of Python inside and not stripped, have some 30 MB.
const MAX_PROGRAM_BYTES: u64 = 128 << 20;
const NAMES: [&str; 2] = ["python3", "python"];

/// The executable that was named, or the one that `python3` means here and now. Not a link's target: virtual
/// environments are told by the path.
pub(super) fn executable(question: &Question, gaps: &mut Gaps) -> Result<PathBuf, SurveyError> {
    if let Some(named) = &question.python {
        return behind_scripts(named_executable(named)?, question);
    }
    for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        let Some(prefix) = question
            .variables
            .get(variable)
            .filter(|value| !value.is_empty())
        else {
            continue;
        };
        if let Some(found) = in_prefix(Path::new(prefix)) {
            return behind_scripts(found, question);
        }
        let what = match gone(Path::new(prefix)) {
            Some(gone) => gone.to_string(),
            None => "there is no Python in it".to_owned(),
        };
        let reason = format!("{what}; the one on PATH is examined");
        gaps.add(format!("{variable}={prefix}"), reason, None);
    }
    let found = on_path(question, |_| true).ok_or(SurveyError::NoPython)?;
    behind_scripts(found, question)
}

fn named_executable(named: &Path) -> Result<PathBuf, SurveyError> {
    let found = if named.is_dir() {
        in_prefix(named)
    } else {
        is_program(named).then(|| named.to_owned())
    };
    let missed = || gone(named).unwrap_or_else(|| SurveyError::NotPython(named.to_owned()));
    let found = found.ok_or_else(missed)?;
    if !is_python(&found) {
        return Err(SurveyError::NotPython(found));
    }
    // `sys.prefix` is absolute, and so must be what users are told to run.
    Ok(std::path::absolute(&found).unwrap_or(found))
}

/// Whether a program is a Python, as far as can be told without running it. Scripts are looked behind later. Every CPython
/// asks for this variable, in itself or in the `libpython` that it is linked to, stripped or not.
fn is_python(path: &Path) -> bool {
    let is_called_so = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("python") || name.starts_with("pypy"))
    };
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if is_called_so(path) || is_called_so(&real) {
        return true;
    }
    let Ok(bytes) = bounded::read(&real, MAX_PROGRAM_BYTES) else {
        // What may not be read may be one.
        return true;
    };
    let words: [&[u8]; 3] = [b"PYTHONHOME", b"libpython", b"libpypy"];
    let has = |word: &[u8]| memchr::memmem::find(&bytes, word).is_some();
    bytes.starts_with(b"#!") || words.into_iter().any(has)
}

/// A link to an interpreter that is not there any more: what was named, or what is in the folder that was named.
fn gone(named: &Path) -> Option<SurveyError> {
    let named = std::path::absolute(named).ok()?;
    let folders = [named.join("bin"), named.clone()];
    let inside = folders
        .iter()
        .flat_map(|folder| NAMES.iter().map(|name| folder.join(name)));
    let mut candidates = std::iter::once(named.clone()).chain(inside);
    // A target that may not be looked at may well be there.
    let is_gone = |path: &Path| {
        let error = std::fs::metadata(path).err();
        error.is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    };
    let link = candidates.find(|path| path.is_symlink() && is_gone(path))?;
    let mut target = link.clone();
    // As many as the kernel follows.
    for _ in 0..40 {
        let Ok(next) = std::fs::read_link(&target) else {
            break;
        };
        target = target.parent()?.join(next);
    }
    let target = without_dots(&target);
    Some(SurveyError::Gone { link, target })
}

/// The interpreter of an environment's or an installation's folder, or of its `bin`.
fn in_prefix(prefix: &Path) -> Option<PathBuf> {
    let prefix = std::path::absolute(prefix).ok()?;
    let places = [prefix.join("bin"), prefix];
    places.iter().find_map(|folder| {
        NAMES
            .iter()
            .map(|name| folder.join(name))
            .find(|path| is_program(path))
            .or_else(|| only_versioned(folder))
    })
}

/// `python3.11`, in an installation that has no `python3`.
fn only_versioned(folder: &Path) -> Option<PathBuf> {
    let is_versioned = |name: &str| {
        let minor = name.strip_prefix("python3.");
        minor.is_some_and(|minor| {
            !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let entries = std::fs::read_dir(folder).ok()?.take(10_000).flatten();
    let mut found = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_versioned))
        .map(|entry| entry.path())
        .filter(|path| is_program(path));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

pub(super) fn is_program(path: &Path) -> bool {
    let metadata = std::fs::metadata(path);
    metadata.is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// What the shell would start for `python3`, or else for `python`, of the folders that `take` lets pass.
pub(super) fn on_path(question: &Question, take: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let path = question.variables.get("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(path)
        .filter(|folder| folder.is_absolute() && take(folder))
        .collect();
    NAMES.iter().find_map(|name| {
        let mut candidates = folders.iter().map(|folder| folder.join(name));
        candidates.find(|path| is_program(path))
    })
}

/// The interpreter itself, where what was found is a script that would look for it.
fn behind_scripts(found: PathBuf, question: &Question) -> Result<PathBuf, SurveyError> {
    let head = Head::read(&found).map_err(|_| SurveyError::NotPython(found.clone()))?;
    if !head.is_script() {
        return Ok(found);
    }
    pyenv::behind_shim(&found, question).ok_or(SurveyError::Script(found))
}
