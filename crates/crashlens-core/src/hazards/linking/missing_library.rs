//! Modules that need a library which the loader does not find.

mod remedies;

use super::libraries;
use crate::cause::Cause;
use crate::hazard::{Hazard, HazardRule, Look, Severity};
use crate::survey::loading::{by_owner, count, involving};
use crate::survey::{MissingLibrary, NativeFile, Survey};

pub(crate) static RULE: HazardRule = HazardRule {
    id: "LNK002",
    name: "missing-library",
    asks: "libraries that native modules need and the loader does not find",
    causes: &[Cause::GlibcOrTls],
    since: "0.1.0",
    doc: include_str!("missing_library.md"),
    judge,
};

fn judge(survey: &Survey) -> Look {
    let is_asked = |file: &&NativeFile| file.is_opened() || libraries::is_opened_by_import(file);
    let asked: Vec<_> = survey.native.iter().filter(is_asked).collect();
    if asked.is_empty() {
        return Look::nothing();
    }
    let scope = count(asked.len(), "module or plugin", "modules and plugins");
    let hazards = by_owner(asked)
        .into_values()
        .filter_map(|files| hazard(survey, &files));
    Look::at(scope).found_all(hazards)
}

/// The first library that is missing, and the files that miss it.
fn hazard(survey: &Survey, files: &[&NativeFile]) -> Option<Hazard> {
    let library = files.iter().find_map(|file| {
        let link = file.link.known()?;
        let mut missing = link.missing_libraries.iter();
        missing
            .find(|library| !libraries::is_optional(&library.name) && library.elsewhere.is_none())
    })?;
    let without: Vec<_> = files
        .iter()
        .filter(|file| misses(file, &library.name))
        .copied()
        .collect();
    // Packages carry parts for what few people have. Where most of a package works, such a part is left alone, unless
    // the library came with the package and is gone.
    if without.len() * 2 < files.len() && !is_of_wheel(survey, library) {
        return None;
    }
    let file = without.first()?;
    let (what, where_to) = match &library.broken {
        Some(path) => (
            "is damaged",
            format!("{path}, which is no library for this machine"),
        ),
        None => (
            "is not on this machine",
            "nothing in any folder that it searches".to_owned(),
        ),
    };
    let headline = format!(
        "{} cannot be loaded: {} {what}",
        file.owner_with_version(),
        library.name
    );
    let needs = format!(
        "{} {}, and the loader finds {where_to}.",
        count(
            without.len(),
            "native file of it needs",
            "native files of it need"
        ),
        library.name
    );
    let mut hazard = Hazard::new(Severity::WillFail, Cause::GlibcOrTls, headline)
        .because(file.fact(), needs)
        .unless("The import succeeds, because the program adds a folder to LD_LIBRARY_PATH or loads the library first; or the program never imports the package");
    hazard = involving(hazard, &without);
    let broken = library.broken.as_deref();
    match broken.filter(|path| survey.is_by_library_path(path)) {
        Some(path) => hazard = survey.blame_library_path(hazard, path),
        None => hazard.remedies.extend(remedies::of(survey, file, library)),
    }
    Some(hazard)
}

fn misses(file: &NativeFile, library: &str) -> bool {
    let link = file.link.known();
    link.is_some_and(|link| link.missing_libraries.iter().any(|it| it.name == library))
}

/// Whether the rule tells that a library is missing, by its name.
pub(in crate::hazards) fn is_told(survey: &Survey, library: &str) -> bool {
    let mut missing = survey.opened().filter_map(|file| file.link.known());
    let is_it = |it: &MissingLibrary| it.name == library && it.elsewhere.is_none();
    !libraries::is_optional(library) && missing.any(|it| it.missing_libraries.iter().any(is_it))
}

/// Whether the library came with a package: such names have a hash, or the list of files has it.
fn is_of_wheel(survey: &Survey, library: &MissingLibrary) -> bool {
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
