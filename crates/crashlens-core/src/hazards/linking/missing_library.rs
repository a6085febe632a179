//! Modules that need a library which the loader does not find.

mod missed;
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
    let asked = libraries::opened(survey);
    if asked.is_empty() {
        return Look::nothing();
    }
    let scope = count(asked.len(), "module or plugin", "modules and plugins");
    let hazards = by_owner(asked)
        .into_values()
        .filter_map(|files| hazard(survey, &files));
    Look::at(scope).found_all(hazards)
}

/// The first library that is missing and missed, with the files that need it.
fn hazard(survey: &Survey, files: &[&NativeFile]) -> Option<Hazard> {
    let (library, without) = missed::first(survey, files)?;
    let file = without.first()?;
    let (what, where_to) = match &library.broken {
        Some(path) => (
            "is damaged",
            format!("{path}, which is damaged or no library for this machine"),
        ),
        None => (
            "is not on this machine",
            "nothing in any folder that it searches".to_owned(),
        ),
    };
    let owner = file.owner_with_version();
    let whole = if missed::is_most(&without, files) {
        owner
    } else {
        format!("A part of {owner}")
    };
    let headline = format!("{whole} cannot be loaded: {} {what}", library.name);
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

/// Whether the rule tells that a library is missing, by its name.
pub(in crate::hazards) fn is_told(survey: &Survey, library: &str) -> bool {
    let mut missing = survey.opened().filter_map(|file| file.link.known());
    let is_it = |it: &MissingLibrary| it.name == library && it.elsewhere.is_none();
    !libraries::is_optional(library) && missing.any(|it| it.missing_libraries.iter().any(is_it))
}
