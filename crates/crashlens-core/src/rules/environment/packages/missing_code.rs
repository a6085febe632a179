//! What the code is that is missing, and who else tells of it.

use crate::rules::environment::linking::is_told_missing;
use crate::survey::{Distribution, FileList, NativeFile, Survey};

/// Whether all that is missing are libraries that native files name: the rule about those tells more.
pub(super) fn is_told_by_linking(survey: &Survey, files: &FileList) -> bool {
    let count = usize::try_from(files.missing_code_count).unwrap_or(usize::MAX);
    let code = files.missing.get(..count);
    code.is_some_and(|code| {
        code.iter().all(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.contains(".so") && is_told_missing(survey, name)
        })
    })
}

/// Whether native modules are gone of a package that is made of them. One or two may have a slower twin in Python.
pub(super) fn lacks_core(survey: &Survey, distribution: &Distribution, files: &FileList) -> bool {
    let is_module = |path: &&String| path.contains(".cpython-") || path.contains(".abi3.");
    let gone = files.missing.iter().filter(is_module).count();
    let is_own = |file: &&NativeFile| file.owner() == distribution.name;
    let left: Vec<_> = survey.opened().filter(is_own).collect();
    gone > 0 && (gone + left.len() > 5 || left.iter().any(|file| file.numpy.is_some()))
}
