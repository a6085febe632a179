//! Modules that need a library which the loader does not find.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::rules::environment::linking::libraries;
use crate::rules::environment::linking::missed_library;
use crate::rules::environment::linking::missed_library_remedies;
use crate::survey::loading::{by_owner, count, involving};
use crate::survey::{NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "LNK002",
    name: "missing-library",
    summary: "A native module needs a shared library that the dynamic loader does not find.",
    causes: &[Cause::GlibcOrTls],
    since: "0.1.0",
    doc: include_str!("missing_library.md"),
    judge: Judge::Environment(judge),
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
    let (library, without) = missed_library::first(survey, files)?;
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
    let whole = if missed_library::is_most(&without, files) {
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
        Some(path) => hazard = Survey::blame_library_path(hazard, path),
        None => hazard
            .remedies
            .extend(missed_library_remedies::of(survey, file, library)),
    }
    Some(hazard)
}
