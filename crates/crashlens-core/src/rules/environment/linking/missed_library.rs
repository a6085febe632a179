//! Which of the libraries that are not found somebody will miss.

use super::libraries;
use crate::survey::{MissingLibrary, NativeFile, Survey};

/// The first library that somebody will miss, and the files of a package that need it.
pub(super) fn first<'a>(
    survey: &Survey,
    files: &[&'a NativeFile],
) -> Option<(&'a MissingLibrary, Vec<&'a NativeFile>)> {
    let missing = files.iter().filter_map(|file| {
        let link = file.link.known()?;
        let mut missing = link.missing_libraries.iter();
        missing.find(|library| is_wanted(file, library))
    });
    let mut tried: Vec<&str> = Vec::new();
    for library in missing {
        if tried.contains(&library.name.as_str()) {
            continue;
        }
        tried.push(&library.name);
        let needing = files.iter().copied();
        let without: Vec<_> = needing.filter(|it| misses(it, &library.name)).collect();
        if is_missed(survey, library, &without, files) {
            return Some((library, without));
        }
    }
    None
}

/// Libraries of GPUs and clusters are missing on most machines, and so are the parts that use them never opened; a file
/// that every import of its package opens needs them all the same.
fn is_wanted(file: &NativeFile, library: &MissingLibrary) -> bool {
    let is_left_alone = libraries::is_optional(&library.name);
    library.elsewhere.is_none() && (!is_left_alone || libraries::is_opened_by_import(file))
}

/// Packages carry parts for what few people have. Where most of a package works, such a part is left alone. That cannot
/// be meant where the library came with the package, where every machine has it, or where a damaged file has its name.
fn is_missed(
    survey: &Survey,
    library: &MissingLibrary,
    without: &[&NativeFile],
    files: &[&NativeFile],
) -> bool {
    is_most(without, files)
        || libraries::is_base(&library.name)
        || library.broken.is_some()
        || is_of_wheel(survey, library)
        || without.iter().any(|it| libraries::is_opened_by_import(it))
}

/// Whether these are at least half of the files.
pub(super) fn is_most(without: &[&NativeFile], files: &[&NativeFile]) -> bool {
    without.len() * 2 >= files.len()
}

fn misses(file: &NativeFile, library: &str) -> bool {
    let link = file.link.known();
    link.is_some_and(|link| link.missing_libraries.iter().any(|it| it.name == library))
}

/// Whether the library came with a package: such names have a hash, or the list of files has it.
pub(super) fn is_of_wheel(survey: &Survey, library: &MissingLibrary) -> bool {
    let stem = library.name.split(".so").next().unwrap_or_default();
    let hash = stem.rsplit('-').next().unwrap_or_default();
    let is_hashed = hash.len() >= 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hashed
        || survey.distributions.iter().any(|distribution| {
            let files = distribution.files.known();
            files.is_some_and(|files| {
                files
                    .missing
                    .iter()
                    .any(|path| path.ends_with(&library.name))
            })
        })
}

/// Whether the rule tells that a library is missing, by its name.
pub(in crate::rules::environment) fn is_told(survey: &Survey, library: &str) -> bool {
    let mut missing = survey.opened().filter_map(|file| file.link.known());
    let is_it = |it: &MissingLibrary| it.name == library && it.elsewhere.is_none();
    !libraries::is_optional(library) && missing.any(|it| it.missing_libraries.iter().any(is_it))
}
